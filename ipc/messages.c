#include "ipc/messages.h"

#include <errno.h>

#include "ipc/message_fields.h"

const char *message_kind_name(unsigned kind)
{
    switch (kind) {
#define X(name, number)                                                                            \
    case MESSAGE_##name:                                                                           \
        return #name;
        MESSAGE_KINDS(X)
#undef X
    default:
        return "unknown";
    }
}

/* A row is a field of struct message_MESSAGE in the order of the wire: type, place, bounds. */
#define FIELD(type, message, field, least, most)                                                   \
    {                                                                                              \
        FIELD_##type, offsetof(struct message_##message, field), least, most                       \
    }
#define VERSION(message)                    FIELD(VERSION, message, protocol_version, 0, UINT64_MAX)
#define NUMBER(message, field)              FIELD(UNSIGNED, message, field, 0, UINT64_MAX)
#define UP_TO(message, field, most)         FIELD(UNSIGNED, message, field, 0, most)
#define BITS(message, field, all)           FIELD(BITS, message, field, 0, all)
#define FLAG(message, field)                FIELD(UNSIGNED, message, field, 0, 1)
#define SIGNED(message, field, least, most) FIELD(SIGNED, message, field, least, most)
#define ERROR_NUMBER(message, field)        FIELD(SIGNED, message, field, -4095, 0)
#define TEXT(message, field, most)          FIELD(TEXT, message, field, 0, most)

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The table NAME_fields as a schema, of which the last ADDED have come since protocol 6.0. CHECK is
 * what single fields cannot say, or NULL. */
#define GROWN_SCHEMA(name, check, added)                                                           \
    static const struct message_schema name##_schema = { sizeof(struct message_##name),            \
                                                         name##_fields, COUNT_OF(name##_fields),   \
                                                         COUNT_OF(name##_fields) - (added),        \
                                                         check }
#define SCHEMA(name, check) GROWN_SCHEMA(name, check, 0)

/* --- agent → profd --- */

static const struct message_field hello_fields[] = {
    VERSION(hello),
    SIGNED(hello, pid, 1, INT32_MAX),
    SIGNED(hello, parent_pid, 0, INT32_MAX),
    NUMBER(hello, start_ns),
    NUMBER(hello, generation),
    FLAG(hello, is_fork),
    NUMBER(hello, lease_owner),
    UP_TO(hello, obstacle, OBSTACLE_COUNT - 1),
    FLAG(hello, is_alone),
    FLAG(hello, gave_arena),
    TEXT(hello, executable, MESSAGE_MAX_PATH),
    FIELD(BYTES, hello, command_line, 0, MESSAGE_MAX_COMMAND_LINE),
};
SCHEMA(hello, NULL);

static const struct message_field generation_fields[] = {
    NUMBER(generation, generation),
};
SCHEMA(generation, NULL);

_Static_assert(sizeof(enum chunk_update_kind) == sizeof(uint32_t), "its field has 32 bits");
static const struct message_field chunk_manager_update_fields[] = {
    NUMBER(chunk_manager_update, generation),
    FIELD(UNSIGNED_32, chunk_manager_update, update.kind, CHUNK_UPDATE_NONE, CHUNK_UPDATE_FINAL),
    NUMBER(chunk_manager_update, update.unreleased_bytes),
    NUMBER(chunk_manager_update, update.released_bytes),
    NUMBER(chunk_manager_update, update.dictionary_bytes),
    NUMBER(chunk_manager_update, update.oldest_done_ns),
    FIELD(UNSIGNED_32, chunk_manager_update, update.newly_released_lost, 0, UINT32_MAX),
    FIELD(RELEASED, chunk_manager_update, update, 0, CHUNK_UPDATE_MAX_RELEASED),
};
SCHEMA(chunk_manager_update, NULL);

static const struct message_field gather_id_fields[] = {
    NUMBER(gather_id, gather_id),
};
SCHEMA(gather_id, NULL);

static const struct message_field gather_progress_fields[] = {
    NUMBER(gather_progress, gather_id),
    UP_TO(gather_progress, proportion, PROGRESS_SCALE),
};
SCHEMA(gather_progress, NULL);

static const struct message_field profile_fields[] = {
    NUMBER(profile, gather_id),
    ERROR_NUMBER(profile, error),
    UP_TO(profile, json_bytes, INT64_MAX),
};
SCHEMA(profile, NULL);

static const struct message_field text_fields[] = {
    TEXT(text, text, MESSAGE_MAX_TEXT),
};
SCHEMA(text, NULL);

static const struct message_field triggered_fields[] = {
    NUMBER(triggered, generation),
    UP_TO(triggered, marker, TRIGGERS_MAX - 1),
    UP_TO(triggered, hits, UINT32_MAX),
};
SCHEMA(triggered, NULL);

static const struct message_field program_fields[] = {
    VERSION(program),
    NUMBER(program, time_ns),
    NUMBER(program, cpu_ns),
    UP_TO(program, obstacle, OBSTACLE_COUNT - 1),
    FLAG(program, has_failed),
    TEXT(program, path, MESSAGE_MAX_PATH),
    FLAG(program, is_about_child),
};
SCHEMA(program, NULL);

/* --- profd → agent --- */

static int session_check(const void *message)
{
    const struct message_session *session = message;
    return session->generation != 0 && session->interval_ns == 0 ? -EINVAL : 0;
}

static int welcome_check(const void *message)
{
    const struct message_welcome *welcome = message;
    return session_check(&welcome->session);
}

#define SESSION_FIELDS(message, prefix)                                                            \
    NUMBER(message, prefix generation),                                                            \
        UP_TO(message, prefix interval_ns, MESSAGE_MAX_INTERVAL_NS),                               \
        NUMBER(message, prefix memory_limit_bytes), BITS(message, prefix features, FEATURES_ALL),  \
        FLAG(message, prefix is_paused), FLAG(message, prefix is_sampling_paused),                 \
        TEXT(message, prefix thread_filters, MESSAGE_MAX_FILTERS),                                 \
        TEXT(message, prefix marker_triggers, TRIGGER_LINES_BYTES),                                \
        NUMBER(message, prefix allocation_interval_bytes),                                         \
        UP_TO(message, prefix clock, SAMPLING_CLOCK_COUNT - 1),                                    \
        UP_TO(message, prefix revision, UINT32_MAX)

static const struct message_field session_fields[] = {
    SESSION_FIELDS(session, ),
};
GROWN_SCHEMA(session, session_check, 1);

static const struct message_field welcome_fields[] = {
    VERSION(welcome),
    SESSION_FIELDS(welcome, session.),
};
GROWN_SCHEMA(welcome, welcome_check, 1);

static const struct message_field destroy_released_fields[] = {
    NUMBER(destroy_released, generation),
    NUMBER(destroy_released, done_ns),
};
SCHEMA(destroy_released, NULL);

static const struct message_field gather_profile_fields[] = {
    NUMBER(gather_profile, gather_id),
    NUMBER(gather_profile, reference_ns),
    NUMBER(gather_profile, reference_unix_ns),
    NUMBER(gather_profile, since_ns),
    UP_TO(gather_profile, later_images, UINT32_MAX),
    NUMBER(gather_profile, cpu_before_ns),
    TEXT(gather_profile, thread_filters, MESSAGE_MAX_FILTERS),
    FLAG(gather_profile, is_raw),
};
GROWN_SCHEMA(gather_profile, NULL, 1);

/* --- profctl → profd --- */

static const struct message_field client_hello_fields[] = {
    VERSION(client_hello),
    FLAG(client_hello, is_program),
};
GROWN_SCHEMA(client_hello, NULL, 1);

static const struct message_field request_fields[] = {
    NUMBER(request, id),
};
SCHEMA(request, NULL);

static const struct message_field client_start_fields[] = {
    NUMBER(client_start, id),
    UP_TO(client_start, interval_ns, MESSAGE_MAX_INTERVAL_NS),
    NUMBER(client_start, memory_limit_bytes),
    BITS(client_start, features, FEATURES_ALL),
    UP_TO(client_start, duration_ms, MESSAGE_MAX_MILLISECONDS),
    UP_TO(client_start, max_files, MESSAGE_MAX_FILES),
    TEXT(client_start, thread_filters, MESSAGE_MAX_FILTERS),
    FIELD(STRINGS, client_start, triggers, 0, MESSAGE_MAX_TRIGGERS),
    TEXT(client_start, output, OUTPUT_PATTERN_BYTES - 1),
    NUMBER(client_start, allocation_interval_bytes),
    UP_TO(client_start, clock, SAMPLING_CLOCK_COUNT - 1),
    UP_TO(client_start, trigger_last_ms, MESSAGE_MAX_MILLISECONDS),
};
SCHEMA(client_start, NULL);

static const struct message_field client_capture_fields[] = {
    NUMBER(client_capture, id),
    FLAG(client_capture, stop),
    UP_TO(client_capture, timeout_ms, MESSAGE_MAX_MILLISECONDS),
    UP_TO(client_capture, last_ms, MESSAGE_MAX_MILLISECONDS),
    TEXT(client_capture, pids, MESSAGE_MAX_SELECTION),
    TEXT(client_capture, names, MESSAGE_MAX_SELECTION),
    TEXT(client_capture, thread_filters, MESSAGE_MAX_FILTERS),
    FLAG(client_capture, is_raw),
};
GROWN_SCHEMA(client_capture, NULL, 1);

static int client_launch_check(const void *message)
{
    const struct message_client_launch *launch = message;
    return launch->arguments.length + launch->environment.length > MESSAGE_MAX_ARGUMENTS ? -EMSGSIZE
                                                                                         : 0;
}

static const struct message_field client_launch_fields[] = {
    NUMBER(client_launch, id),
    FIELD(TEXT, client_launch, directory, 1, MESSAGE_MAX_PATH),
    FIELD(STRINGS, client_launch, arguments, 1, MESSAGE_MAX_ARGUMENTS),
    FIELD(STRINGS, client_launch, environment, 0, MESSAGE_MAX_ARGUMENTS),
};
SCHEMA(client_launch, client_launch_check);

static const struct message_field client_signal_fields[] = {
    NUMBER(client_signal, id),
    SIGNED(client_signal, signal_number, 1, 64),
};
SCHEMA(client_signal, NULL);

static int client_trigger_check(const void *message)
{
    const struct message_client_trigger *trigger = message;
    return trigger_name_is_valid(trigger->name.bytes, trigger->name.length) ? 0 : -EINVAL;
}

static const struct message_field client_trigger_fields[] = {
    NUMBER(client_trigger, id),
    FIELD(TEXT, client_trigger, name, 1, TRIGGER_NAME_BYTES - 1),
};
SCHEMA(client_trigger, client_trigger_check);

static const struct message_field client_groups_fields[] = {
    NUMBER(client_groups, id),
    UP_TO(client_groups, needs, GROUP_NEEDS_ALL),
};
SCHEMA(client_groups, NULL);

/* --- profd → profctl --- */

static const struct message_field reply_fields[] = {
    NUMBER(reply, id),
    ERROR_NUMBER(reply, error),
    TEXT(reply, text, MESSAGE_MAX_TEXT),
};
SCHEMA(reply, NULL);

static const struct message_field capture_progress_fields[] = {
    NUMBER(capture_progress, id),
    NUMBER(capture_progress, children_total),
    NUMBER(capture_progress, children_done),
    NUMBER(capture_progress, bytes_written),
    UP_TO(capture_progress, proportion, PROGRESS_SCALE),
};
SCHEMA(capture_progress, NULL);

static const struct message_field capture_done_fields[] = {
    NUMBER(capture_done, id),
    NUMBER(capture_done, bytes_written),
    NUMBER(capture_done, processes),
    TEXT(capture_done, missing, MESSAGE_MAX_TEXT),
    FIELD(BYTES, capture_done, profile_places, 0,
          MESSAGE_MAX_PROFILE_PLACES * sizeof(struct message_profile_place)),
};
SCHEMA(capture_done, NULL);

static const struct message_field status_fields[] = {
    NUMBER(status, id),
    TEXT(status, json, MESSAGE_MAX_STATUS),
};
SCHEMA(status, NULL);

static const struct message_field command_exited_fields[] = {
    SIGNED(command_exited, pid, 1, INT32_MAX),
    FLAG(command_exited, is_signal),
    SIGNED(command_exited, code, 0, 255),
};
SCHEMA(command_exited, NULL);

/* --- the codecs --- */

#define X(name)                                                                                    \
    long message_put_##name(uint8_t *out, size_t capacity, enum message_kind kind,                 \
                            const struct message_##name *message)                                  \
    {                                                                                              \
        return message_fields_put(&name##_schema, out, capacity, kind, message, PROTOCOL_MINOR);   \
    }                                                                                              \
    int message_get_##name(const uint8_t *payload, size_t bytes, struct message_##name *out)       \
    {                                                                                              \
        return message_fields_get(&name##_schema, payload, bytes, out);                            \
    }
MESSAGE_CODECS(X)
#undef X

long message_put_empty(uint8_t *out, size_t capacity, enum message_kind kind)
{
    static const struct message_schema empty_schema = { 0 };
    return message_fields_put(&empty_schema, out, capacity, kind, NULL, PROTOCOL_MINOR);
}

#define X(name)                                                                                    \
    long message_put_##name##_for(uint64_t minor, uint8_t *out, size_t capacity,                   \
                                  enum message_kind kind, const struct message_##name *message)    \
    {                                                                                              \
        return message_fields_put(&name##_schema, out, capacity, kind, message, minor);            \
    }
MESSAGE_GROWN_CODECS(X)
#undef X

int message_peek_kind(const uint8_t *payload, size_t bytes)
{
    return message_fields_peek_kind(payload, bytes);
}
