#include <check.h>
#include <errno.h>
#include <msgpack.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/frame.h"
#include "ipc/messages.h"

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define STRING(literal)                                                                            \
    {                                                                                              \
        .bytes = literal, .length = sizeof(literal) - 1                                            \
    }

/* --- a sample of every message, with a different value in every field --- */

static const struct message_hello sample_hello = {
    .protocol_version = PROTOCOL_VERSION,
    .pid = 4121,
    .parent_pid = 4100,
    .start_ns = UINT64_C(987654321012),
    .generation = 3,
    .is_fork = 1,
    .lease_owner = 9,
    .obstacle = OBSTACLE_NO_LEASE,
    .executable = STRING("/usr/bin/prefork"),
    .command_line = STRING("prefork\0-w\0 8"),
};
static const struct message_generation sample_generation = { .generation = UINT64_MAX };
static const struct message_chunk_manager_update sample_chunk_manager_update = {
    .generation = 7,
    .update = { .kind = CHUNK_UPDATE_FINAL,
                .unreleased_bytes = 65536,
                .released_bytes = 131072,
                .dictionary_bytes = 4096,
                .oldest_done_ns = 11,
                .newly_released_count = 3,
                .newly_released_lost = UINT32_MAX,
                .newly_released = { { 11, 65536, 1 }, { 12, 32768, 2 }, { 13, 32768, 3 } } },
};
static const struct message_gather_id sample_gather_id = { .gather_id = 300 };
static const struct message_gather_progress sample_gather_progress = {
    .gather_id = 301,
    .proportion = PROGRESS_SCALE,
};
static const struct message_profile sample_profile = {
    .gather_id = 302,
    .error = -EIO,
    .json_bytes = UINT64_C(1) << 40,
};
static const struct message_text sample_text = { .text = STRING("dictionary full") };
static const struct message_session sample_session = {
    .generation = 8,
    .interval_ns = 1000000,
    .memory_limit_bytes = UINT64_C(1) << 33,
    .features = FEATURE_CPU | FEATURE_LABELS,
    .is_paused = 1,
    .thread_filters = STRING("main,worker"),
    .marker_triggers = STRING("50000000:request\n"),
    .clock = SAMPLING_CLOCK_PERF,
    .revision = UINT32_MAX,
};
static const struct message_welcome sample_welcome = {
    .protocol_version = PROTOCOL_VERSION,
    .session = { .generation = 9,
                 .interval_ns = MESSAGE_MAX_INTERVAL_NS,
                 .memory_limit_bytes = 1,
                 .features = FEATURES_ALL,
                 .is_paused = 0,
                 .thread_filters = STRING(""),
                 .marker_triggers = STRING(""),
                 .clock = SAMPLING_CLOCK_COUNT - 1 },
};
static const struct message_destroy_released sample_destroy_released = {
    .generation = 10,
    .done_ns = 123456789,
};
static const struct message_gather_profile sample_gather_profile = {
    .gather_id = 303,
    .reference_ns = 5,
    .reference_unix_ns = 1700000000000000000,
    .since_ns = 7,
    .later_images = UINT32_MAX,
    .cpu_before_ns = 78,
    .is_raw = 1,
};
static const struct message_client_hello sample_client_hello = {
    .protocol_version = PROTOCOL_VERSION,
    .is_program = 1,
};
static const struct message_request sample_request = { .id = 77 };
static const struct message_client_start sample_client_start = {
    .allocation_interval_bytes = 65536,
    .clock = SAMPLING_CLOCK_WALL,
    .id = 78,
    .interval_ns = 2000000,
    .memory_limit_bytes = 3,
    .features = FEATURES_DEFAULT,
    .duration_ms = MESSAGE_MAX_MILLISECONDS,
    .max_files = 10,
    .thread_filters = STRING("GeckoMain"),
    .triggers = STRING("signal\0SIGUSR2\0"),
    .output = STRING("%n.json"),
    .trigger_last_ms = 10000,
};
static const struct message_client_capture sample_client_capture = {
    .id = 79,
    .stop = 1,
    .timeout_ms = 10000,
    .last_ms = 2000,
    .pids = STRING("17,18"),
    .names = STRING("postgres"),
    .thread_filters = STRING("worker"),
    .is_raw = 1,
};
static const struct message_client_launch sample_client_launch = {
    .id = 80,
    .directory = STRING("/tmp"),
    .arguments = STRING("make\0-j2\0"),
    .environment = STRING("PATH=/bin\0"),
};
static const struct message_client_signal sample_client_signal = { .id = 81, .signal_number = 15 };
static const struct message_reply sample_reply = {
    .id = 82,
    .error = -4095,
    .text = STRING("no such command: mkae"),
};
static const struct message_capture_progress sample_capture_progress = {
    .id = 83,
    .children_total = 40,
    .children_done = 39,
    .bytes_written = 123456,
    .proportion = 1,
};
static const struct message_capture_done sample_capture_done = {
    .id = 84,
    .bytes_written = 654321,
    .processes = 41,
    .missing = STRING("4121 froze"),
    .profile_places = STRING("\1\0\0\0\0\0\0\0"),
};
static const struct message_status sample_status = { .id = 85, .json = STRING("{}") };
static const struct message_triggered sample_triggered = {
    .generation = 87,
    .marker = TRIGGERS_MAX - 1,
    .hits = 12,
};
static const struct message_client_trigger sample_client_trigger = { .id = 88,
                                                                     .name = STRING("deploy") };
static const struct message_client_groups sample_client_groups = { .id = 89,
                                                                   .needs = GROUP_NEED_UNITS };
static const struct message_command_exited sample_command_exited = {
    .pid = 86,
    .is_signal = 1,
    .code = 11,
};

/* --- the codecs as a table --- */

struct codec {
    const char *name;
    const void *sample;
    size_t struct_bytes;
    long (*put)(uint8_t *out, size_t capacity, const void *message);
    int (*get)(const uint8_t *payload, size_t bytes, void *out);
};

enum { KIND = 5 };

#define X(name)                                                                                    \
    static long put_##name(uint8_t *out, size_t capacity, const void *message)                     \
    {                                                                                              \
        return message_put_##name(out, capacity, (enum message_kind)KIND, message);                \
    }                                                                                              \
    static int get_##name(const uint8_t *payload, size_t bytes, void *out)                         \
    {                                                                                              \
        return message_get_##name(payload, bytes, out);                                            \
    }
MESSAGE_CODECS(X)
#undef X

static const struct codec codecs[] = {
#define X(name) { #name, &sample_##name, sizeof(struct message_##name), put_##name, get_##name },
    MESSAGE_CODECS(X)
#undef X
};

static uint8_t frame[MESSAGE_MAX_BYTES];
static uint8_t decoded[sizeof(struct message_chunk_manager_update)];

static const uint8_t *payload_of(const uint8_t *bytes)
{
    return bytes + FRAME_HEADER_BYTES;
}

static long put_sample(const struct codec *codec)
{
    long length = codec->put(frame, sizeof(frame), codec->sample);
    ck_assert_msg(length > FRAME_HEADER_BYTES, "%s: %ld", codec->name, length);
    return length;
}

/* --- round trips --- */

START_TEST(a_decoded_message_encodes_to_the_same_bytes)
{
    const struct codec *codec = &codecs[_i];
    uint8_t again[4096];
    long length = put_sample(codec);
    int error = codec->get(payload_of(frame), (size_t)length - FRAME_HEADER_BYTES, decoded);
    ck_assert_msg(error == 0, "%s: %d", codec->name, error);
    ck_assert_msg(codec->put(again, sizeof(again), decoded) == length, "%s", codec->name);
    ck_assert_mem_eq(again, frame, (size_t)length);
}
END_TEST

START_TEST(a_message_is_a_frame_of_one_msgpack_array_that_starts_with_its_kind)
{
    const struct codec *codec = &codecs[_i];
    long length = put_sample(codec);
    ck_assert_uint_eq(frame[0] | frame[1] << 8 | frame[2] << 16 | frame[3] << 24,
                      (unsigned)length - FRAME_HEADER_BYTES);
    size_t read = 0;
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    ck_assert_int_eq(msgpack_unpack_next(&unpacked, (const char *)payload_of(frame),
                                         (size_t)length - FRAME_HEADER_BYTES, &read),
                     MSGPACK_UNPACK_SUCCESS);
    ck_assert_int_eq((long)read, length - FRAME_HEADER_BYTES);
    ck_assert_int_eq(unpacked.data.type, MSGPACK_OBJECT_ARRAY);
    ck_assert_uint_eq(unpacked.data.via.array.ptr[0].via.u64, KIND);
    ck_assert_int_eq(message_peek_kind(payload_of(frame), (size_t)length - FRAME_HEADER_BYTES),
                     KIND);
    msgpack_unpacked_destroy(&unpacked);
}
END_TEST

START_TEST(a_hello_has_its_fields_in_the_order_of_the_struct)
{
    static const uint8_t expected[] = { 0x9d,
                                        5,
                                        0xce,
                                        0,
                                        PROTOCOL_MINOR,
                                        0,
                                        PROTOCOL_MAJOR,
                                        0xcd,
                                        0x10,
                                        0x19,
                                        0xcd,
                                        0x10,
                                        0x04,
                                        0x07,
                                        0x03,
                                        0x01,
                                        9,
                                        OBSTACLE_NO_LEASE,
                                        0,
                                        0,
                                        0xa2,
                                        '/',
                                        'x',
                                        0xa3,
                                        'x',
                                        0,
                                        'y' };
    struct message_hello hello = sample_hello;
    hello.start_ns = 7;
    hello.executable = (struct message_string)STRING("/x");
    hello.command_line = (struct message_string)STRING("x\0y");
    long length = message_put_hello(frame, sizeof(frame), (enum message_kind)KIND, &hello);
    ck_assert_int_eq(length, FRAME_HEADER_BYTES + (long)sizeof(expected));
    ck_assert_mem_eq(payload_of(frame), expected, sizeof(expected));
}
END_TEST

START_TEST(decoded_strings_are_views_into_the_payload)
{
    struct message_reply reply;
    long length = message_put_reply(frame, sizeof(frame), MESSAGE_REPLY, &sample_reply);
    ck_assert_int_eq(
        message_get_reply(payload_of(frame), (size_t)length - FRAME_HEADER_BYTES, &reply), 0);
    ck_assert_ptr_eq(reply.text.bytes + reply.text.length, frame + length);
    ck_assert_int_eq(reply.error, -4095);
    ck_assert_mem_eq(reply.text.bytes, sample_reply.text.bytes, sample_reply.text.length);
}
END_TEST

START_TEST(an_update_keeps_all_its_numbers_and_chunks)
{
    struct message_chunk_manager_update full = sample_chunk_manager_update, out;
    full.update.newly_released_count = CHUNK_UPDATE_MAX_RELEASED;
    for (uint64_t i = 0; i < CHUNK_UPDATE_MAX_RELEASED; i++)
        full.update.newly_released[i] = (struct released_chunk){ UINT64_MAX - i, i, i << 50 };
    long length =
        message_put_chunk_manager_update(frame, sizeof(frame), MESSAGE_CHUNK_MANAGER_UPDATE, &full);
    ck_assert_int_gt(length, 0);
    ck_assert_int_eq(message_get_chunk_manager_update(payload_of(frame),
                                                      (size_t)length - FRAME_HEADER_BYTES, &out),
                     0);
    ck_assert_uint_eq(out.generation, full.generation);
    ck_assert_mem_eq(&out.update, &full.update, sizeof(full.update));
}
END_TEST

START_TEST(an_empty_message_is_its_kind_alone)
{
    static const uint8_t expected[] = { 2, 0, 0, 0, 0x91, 105 };
    long length = message_put_empty(frame, sizeof(frame), MESSAGE_AWAIT_NEXT_CHUNK_MANAGER_UPDATE);
    ck_assert_int_eq(length, sizeof(expected));
    ck_assert_mem_eq(frame, expected, sizeof(expected));
}
END_TEST

START_TEST(kinds_have_names)
{
    ck_assert_str_eq(message_kind_name(MESSAGE_HELLO), "HELLO");
    ck_assert_str_eq(message_kind_name(304), "COMMAND_EXITED");
    ck_assert_str_eq(message_kind_name(0), "unknown");
    ck_assert_str_eq(message_kind_name(99), "unknown");
}
END_TEST

/* --- malformed --- */

START_TEST(a_message_that_is_cut_anywhere_is_refused)
{
    const struct codec *codec = &codecs[_i];
    long length = put_sample(codec);
    for (size_t bytes = 0; bytes < (size_t)length - FRAME_HEADER_BYTES; bytes++) {
        uint8_t *exact = malloc(bytes + 1); /* so that a sanitizer sees a read behind the end */
        memcpy(exact + 1, payload_of(frame), bytes);
        ck_assert_msg(codec->get(exact + 1, bytes, decoded) == -EPROTO, "%s cut at %zu",
                      codec->name, bytes);
        free(exact);
    }
}
END_TEST

START_TEST(bytes_behind_a_message_are_refused)
{
    const struct codec *codec = &codecs[_i];
    long length = put_sample(codec);
    frame[length] = 0;
    ck_assert_int_eq(
        codec->get(payload_of(frame), (size_t)length - FRAME_HEADER_BYTES + 1, decoded), -EPROTO);
}
END_TEST

/* Of a newer minor version: a map, which no message of ours has. */
START_TEST(an_appended_field_is_skipped)
{
    static const uint8_t appended[] = { 0x81, 0xa1, 'k', 0xc0 };
    static uint8_t again[MESSAGE_MAX_BYTES];
    const struct codec *codec = &codecs[_i];
    long length = put_sample(codec);
    frame[FRAME_HEADER_BYTES]++;
    memcpy(frame + length, appended, sizeof(appended));
    ck_assert_int_eq(codec->get(payload_of(frame),
                                (size_t)length - FRAME_HEADER_BYTES + sizeof(appended), decoded),
                     0);
    ck_assert_int_eq(codec->put(again, sizeof(again), decoded), length);
    frame[FRAME_HEADER_BYTES]--;
    ck_assert_mem_eq(again + FRAME_HEADER_BYTES, payload_of(frame),
                     (size_t)length - FRAME_HEADER_BYTES);
}
END_TEST

START_TEST(a_missing_field_is_refused)
{
    const struct codec *codec = &codecs[_i];
    long length = put_sample(codec);
    frame[FRAME_HEADER_BYTES]--;
    ck_assert_int_eq(codec->get(payload_of(frame), (size_t)length - FRAME_HEADER_BYTES, decoded),
                     -EPROTO);
}
END_TEST

/* The sample's payload with its field FIELD replaced by nil, an array, or a string where it was a
 * number and the other way round. */
static size_t with_wrong_type(const struct codec *codec, uint32_t field, char *out, size_t capacity)
{
    long length = put_sample(codec);
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    ck_assert_int_eq(msgpack_unpack_next(&unpacked, (const char *)payload_of(frame),
                                         (size_t)length - FRAME_HEADER_BYTES, NULL),
                     MSGPACK_UNPACK_SUCCESS);
    msgpack_object *changed = &unpacked.data.via.array.ptr[field];
    if (changed->type == MSGPACK_OBJECT_STR)
        *changed = (msgpack_object){ .type = MSGPACK_OBJECT_POSITIVE_INTEGER };
    else
        *changed = (msgpack_object){ .type = MSGPACK_OBJECT_STR, .via.str = { 1, "1" } };
    msgpack_sbuffer buffer;
    msgpack_sbuffer_init(&buffer);
    msgpack_packer packer;
    msgpack_packer_init(&packer, &buffer, msgpack_sbuffer_write);
    ck_assert_int_eq(msgpack_pack_object(&packer, unpacked.data), 0);
    ck_assert_uint_le(buffer.size, capacity);
    memcpy(out, buffer.data, buffer.size);
    size_t bytes = buffer.size;
    msgpack_sbuffer_destroy(&buffer);
    msgpack_unpacked_destroy(&unpacked);
    return bytes;
}

START_TEST(a_field_of_a_wrong_type_is_refused)
{
    const struct codec *codec = &codecs[_i];
    char changed[4096];
    put_sample(codec);
    uint32_t fields = frame[FRAME_HEADER_BYTES] & 0x0f;
    for (uint32_t field = 0; field < fields; field++) {
        size_t bytes = with_wrong_type(codec, field, changed, sizeof(changed));
        ck_assert_msg(codec->get((const uint8_t *)changed, bytes, decoded) == -EPROTO,
                      "%s: field %u", codec->name, field);
    }
}
END_TEST

static const struct {
    const char *name;
    int (*get)(const uint8_t *payload, size_t bytes, void *out);
    uint8_t bytes[24];
    size_t count;
} out_of_range[] = {
    { "pid 0", get_command_exited, { 0x94, 5, 0, 0, 0 }, 5 },
    { "pid -1", get_command_exited, { 0x94, 5, 0xff, 0, 0 }, 5 },
    { "pid 2^31", get_command_exited, { 0x94, 5, 0xce, 0x80, 0, 0, 0, 0, 0 }, 9 },
    { "flag 2", get_command_exited, { 0x94, 5, 1, 2, 0 }, 5 },
    { "exit status 256", get_command_exited, { 0x94, 5, 1, 0, 0xcd, 1, 0 }, 7 },
    { "error 1", get_reply, { 0x94, 5, 1, 1, 0xa0 }, 5 },
    { "error -4096", get_reply, { 0x94, 5, 1, 0xd1, 0xf0, 0, 0xa0 }, 7 },
    { "negative id", get_reply, { 0x94, 5, 0xff, 0, 0xa0 }, 5 },
    { "NUL in a text", get_reply, { 0x94, 5, 1, 0, 0xa1, 0 }, 6 },
    { "signal 0", get_client_signal, { 0x93, 5, 1, 0 }, 4 },
    { "signal 65", get_client_signal, { 0x93, 5, 1, 65 }, 4 },
    { "unknown feature",
      get_session,
      { 0x9c, 5, 1, 1, 1, 0xcd, 0x80, 0, 0, 0, 0xa0, 0xa0, 0, 0, 0 },
      15 },
    { "session without interval",
      get_session,
      { 0x9c, 5, 1, 0, 1, 1, 0, 0, 0xa0, 0xa0, 0, 0, 0 },
      13 },
    { "interval of years",
      get_session,
      { 0x9c, 5, 1, 0xcf, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0xa0, 0xa0, 0, 0, 0 },
      21 },
    { "clock that is none",
      get_session,
      { 0x9c, 5, 1, 1, 1, 1, 0, 0, 0xa0, 0xa0, 0, SAMPLING_CLOCK_COUNT, 0 },
      13 },
    { "session of an older profd", get_session, { 0x9a, 5, 1, 1, 1, 1, 0, 0, 0xa0, 0xa0, 0 }, 11 },
    { "start with a clock that is none",
      get_client_start,
      { 0x9d, 5, 1, 1, 1, 1, 0, 0, 0xa0, 0xa0, 0xa0, 0, SAMPLING_CLOCK_COUNT, 0 },
      13 },
    { "launch of nothing", get_client_launch, { 0x95, 5, 1, 0xa1, '/', 0xa0, 0xa0 }, 7 },
    { "launch in no folder", get_client_launch, { 0x95, 5, 1, 0xa0, 0xa2, 'a', 0, 0xa0 }, 8 },
    { "argument without its end",
      get_client_launch,
      { 0x95, 5, 1, 0xa1, '/', 0xa2, 0, 'a', 0xa0 },
      9 },
    { "image of 33 bits", get_gather_profile, { 0x94, 5, 1, 1, 0xcf, 0, 0, 0, 1, 0, 0, 0, 0 }, 13 },
    { "more than done", get_gather_progress, { 0x93, 5, 1, 0xce, 0xff, 0, 0, 0 }, 8 },
    { "update of no kind", get_chunk_manager_update, { 0x99, 5, 1, 3, 0, 0, 0, 0, 0, 0x90 }, 10 },
    { "257 released chunks",
      get_chunk_manager_update,
      { 0x99, 5, 1, 1, 0, 0, 0, 0, 0, 0xdc, 1, 1 },
      12 },
    { "2^32 - 1 released chunks",
      get_chunk_manager_update,
      { 0x99, 5, 1, 1, 0, 0, 0, 0, 0, 0xdd, 0xff, 0xff, 0xff, 0xff },
      14 },
    { "released chunk of 2 fields",
      get_chunk_manager_update,
      { 0x99, 5, 1, 1, 0, 0, 0, 0, 0, 0x91, 0x92, 1, 1 },
      13 },
    { "33 bits lost",
      get_chunk_manager_update,
      { 0x99, 5, 1, 1, 0, 0, 0, 0, 0xcf, 0, 0, 0, 1, 0, 0, 0, 0, 0x90 },
      18 },
};

START_TEST(a_value_out_of_range_is_refused)
{
    int error = out_of_range[_i].get(out_of_range[_i].bytes, out_of_range[_i].count, decoded);
    ck_assert_msg(error == -EPROTO, "%s: %d", out_of_range[_i].name, error);
}
END_TEST

static const struct {
    const char *name;
    uint8_t bytes[8];
    size_t count;
} no_kinds[] = {
    { "nothing", { 0 }, 0 },
    { "no array", { 5 }, 1 },
    { "empty array", { 0x90 }, 1 },
    { "array without members", { 0x91 }, 1 },
    { "kind 0", { 0x91, 0 }, 2 },
    { "negative kind", { 0x91, 0xff }, 2 },
    { "text for a kind", { 0x91, 0xa1, 'x' }, 3 },
    { "kind of 32 bits", { 0x91, 0xce, 0xff, 0xff, 0xff, 0xff }, 6 },
};

START_TEST(a_payload_without_a_kind_is_refused)
{
    ck_assert_msg(message_peek_kind(no_kinds[_i].bytes, no_kinds[_i].count) == -EPROTO, "%s",
                  no_kinds[_i].name);
}
END_TEST

START_TEST(a_hello_of_another_version_tells_that_version_and_nothing_else)
{
    static const uint8_t other[] = { 0x93, 1, PROTOCOL_MAJOR + 1, 0xc3 };
    struct message_hello hello, nothing = { .protocol_version = PROTOCOL_MAJOR + 1 };
    struct message_client_hello client_hello;
    struct message_welcome welcome;
    memset(&hello, 0xff, sizeof(hello));
    ck_assert_int_eq(message_get_hello(other, sizeof(other), &hello), 0);
    ck_assert_mem_eq(&hello, &nothing, sizeof(hello));
    ck_assert_int_eq(message_get_client_hello(other, sizeof(other), &client_hello), 0);
    ck_assert_uint_eq(client_hello.protocol_version, PROTOCOL_MAJOR + 1);
    ck_assert_int_eq(message_get_welcome(other, sizeof(other), &welcome), 0);
    ck_assert_uint_eq(welcome.protocol_version, PROTOCOL_MAJOR + 1);
}
END_TEST

/* What agents of 6.0 say and take: all of ours but what followed since. */
START_TEST(a_peer_of_6_0_gets_and_says_only_what_it_knows)
{
    static uint8_t full[MESSAGE_MAX_BYTES];
    struct message_welcome welcome = sample_welcome, out;
    long full_length = put_welcome(full, sizeof(full), &welcome);
    welcome.protocol_version = protocol_version_with(0);
    long length = put_welcome(frame, sizeof(frame), &welcome);
    ck_assert_int_lt(length, full_length);
    ck_assert_uint_eq(payload_of(frame)[0], payload_of(full)[0] - 1); /* the revision is left out */
    ck_assert_int_eq(
        message_get_welcome(payload_of(frame), (size_t)length - FRAME_HEADER_BYTES, &out), 0);
    ck_assert_uint_eq(out.session.clock, sample_welcome.session.clock);
    ck_assert_uint_eq(out.session.revision, 0);

    struct message_session session;
    length =
        message_put_session_for(0, frame, sizeof(frame), MESSAGE_ENSURE_STARTED, &sample_session);
    ck_assert_int_lt(length, put_session(full, sizeof(full), &sample_session));
    ck_assert_int_eq(
        message_get_session(payload_of(frame), (size_t)length - FRAME_HEADER_BYTES, &session), 0);
    ck_assert_uint_eq(session.generation, sample_session.generation);
    ck_assert_uint_eq(session.revision, 0);
}
END_TEST

/* --- limits --- */

START_TEST(an_encoder_never_writes_behind_its_room)
{
    const struct codec *codec = &codecs[_i];
    long length = put_sample(codec);
    for (size_t capacity = 0; capacity < (size_t)length; capacity++) {
        uint8_t *exact = malloc(capacity + 1);
        exact[capacity] = 0x5a;
        ck_assert_msg(codec->put(exact, capacity, codec->sample) == -EMSGSIZE, "%s in %zu",
                      codec->name, capacity);
        ck_assert_uint_eq(exact[capacity], 0x5a);
        free(exact);
    }
}
END_TEST

static char *filled_text(size_t length)
{
    char *bytes = malloc(length + 1);
    ck_assert_ptr_nonnull(bytes);
    memset(bytes, 'x', length);
    bytes[length] = '\0';
    return bytes;
}

START_TEST(a_string_of_the_maximum_passes_and_one_byte_more_is_an_error)
{
    char *bytes = filled_text(MESSAGE_MAX_STATUS + 1);
    struct message_status status = { .json = { bytes, MESSAGE_MAX_STATUS } }, out;
    long length = message_put_status(frame, sizeof(frame), MESSAGE_STATUS, &status);
    ck_assert_int_gt(length, MESSAGE_MAX_STATUS);
    ck_assert_int_eq(
        message_get_status(payload_of(frame), (size_t)length - FRAME_HEADER_BYTES, &out), 0);
    ck_assert_uint_eq(out.json.length, MESSAGE_MAX_STATUS);

    status.json.length++;
    ck_assert_int_eq(message_put_status(frame, sizeof(frame), MESSAGE_STATUS, &status), -EMSGSIZE);
    free(bytes);
}
END_TEST

START_TEST(a_received_string_above_its_maximum_is_refused)
{
    enum { LENGTH = MESSAGE_MAX_TEXT + 1 };
    uint8_t *payload = malloc(5 + LENGTH);
    static const uint8_t head[] = { 0x92, 9, 0xda, LENGTH >> 8, LENGTH & 0xff };
    struct message_text out;
    memset(payload, 'x', 5 + LENGTH);
    memcpy(payload, head, sizeof(head));
    ck_assert_int_eq(message_get_text(payload, 5 + LENGTH, &out), -EPROTO);
    payload[4]--;
    ck_assert_int_eq(message_get_text(payload, 5 + LENGTH - 1, &out), 0);
    free(payload);
}
END_TEST

START_TEST(a_launch_is_limited_as_a_whole)
{
    char *bytes = filled_text(MESSAGE_MAX_ARGUMENTS);
    size_t half = MESSAGE_MAX_ARGUMENTS / 2;
    struct message_client_launch launch = { .directory = STRING("/") }, out;
    launch.arguments = launch.environment =
        (struct message_string){ bytes + MESSAGE_MAX_ARGUMENTS + 1 - half, half };
    long length = message_put_client_launch(frame, sizeof(frame), MESSAGE_CLIENT_LAUNCH, &launch);
    ck_assert_int_gt(length, MESSAGE_MAX_ARGUMENTS);
    ck_assert_int_eq(
        message_get_client_launch(payload_of(frame), (size_t)length - FRAME_HEADER_BYTES, &out), 0);

    launch.arguments.bytes--;
    launch.arguments.length++;
    ck_assert_int_eq(
        message_put_client_launch(frame, sizeof(frame), MESSAGE_CLIENT_LAUNCH, &launch), -EMSGSIZE);
    free(bytes);
}
END_TEST

/* The rows of refused sessions and starts, with what they should have. */
START_TEST(the_same_with_a_clock_is_taken)
{
    static const uint8_t session[] = { 0x9c, 5, 1, 1, 1, 1, 0, 0, 0xa0, 0xa0, 0, 3, 0 };
    static const uint8_t start[] = { 0x9d, 5, 1, 1, 1, 1, 0, 0, 0xa0, 0xa0, 0xa0, 0, 2, 0 };
    struct message_session taken;
    struct message_client_start started;

    ck_assert_int_eq(message_get_session(session, sizeof(session), &taken), 0);
    ck_assert_uint_eq(taken.clock, SAMPLING_CLOCK_WALL);
    ck_assert_int_eq(message_get_client_start(start, sizeof(start), &started), 0);
    ck_assert_uint_eq(started.clock, SAMPLING_CLOCK_PERF);
}
END_TEST

START_TEST(encoders_refuse_what_decoders_would_refuse)
{
    struct message_command_exited no_pid = sample_command_exited;
    no_pid.pid = 0;
    ck_assert_int_eq(put_command_exited(frame, sizeof(frame), &no_pid), -EINVAL);
    struct message_session no_interval = sample_session;
    no_interval.interval_ns = 0;
    ck_assert_int_eq(put_session(frame, sizeof(frame), &no_interval), -EINVAL);
    struct message_session no_clock = sample_session;
    no_clock.clock = SAMPLING_CLOCK_COUNT;
    ck_assert_int_eq(put_session(frame, sizeof(frame), &no_clock), -EINVAL);
    struct message_text with_nul = { .text = STRING("a\0b") };
    ck_assert_int_eq(put_text(frame, sizeof(frame), &with_nul), -EINVAL);
    struct message_chunk_manager_update too_many = sample_chunk_manager_update;
    too_many.update.newly_released_count = CHUNK_UPDATE_MAX_RELEASED + 1;
    ck_assert_int_eq(put_chunk_manager_update(frame, sizeof(frame), &too_many), -EINVAL);
}
END_TEST

START_TEST(the_longest_messages_of_agents_fit_their_buffers)
{
    uint8_t room[MESSAGE_MAX_AGENT_BYTES];
    char *bytes = filled_text(MESSAGE_MAX_TEXT);
    struct message_text text = { { bytes, MESSAGE_MAX_TEXT } };
    struct message_hello hello = sample_hello;
    hello.executable = (struct message_string){ bytes, MESSAGE_MAX_PATH };
    hello.command_line = (struct message_string){ bytes, MESSAGE_MAX_COMMAND_LINE };
    struct message_chunk_manager_update update = sample_chunk_manager_update;
    update.update.newly_released_count = CHUNK_UPDATE_MAX_RELEASED;
    memset(update.update.newly_released, 0xff, sizeof(update.update.newly_released));
    struct message_welcome welcome = sample_welcome;
    welcome.session.thread_filters = (struct message_string){ bytes, MESSAGE_MAX_FILTERS };
    ck_assert_int_gt(put_text(room, sizeof(room), &text), 0);
    ck_assert_int_gt(put_hello(room, sizeof(room), &hello), 0);
    ck_assert_int_gt(put_chunk_manager_update(room, sizeof(room), &update), 0);
    ck_assert_int_gt(put_welcome(room, sizeof(room), &welcome), 0);
    free(bytes);
}
END_TEST

/* --- random bytes --- */

static uint64_t random_state;

/* A fixed sequence of good quality (splitmix64), the same in every run. */
static uint64_t random_number(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Decoding returns one of two things, and what it accepts encodes again. */
static void check_decoder(const struct codec *codec, const uint8_t *payload, size_t bytes,
                          unsigned *accepted)
{
    static uint8_t again[MESSAGE_MAX_BYTES];
    int error = codec->get(payload, bytes, decoded);
    ck_assert_msg(error == 0 || error == -EPROTO, "%s: %d", codec->name, error);
    if (error < 0)
        return;
    ++*accepted;
    const uint64_t *version = (const uint64_t *)decoded;
    bool is_greeting = codec->get == get_hello || codec->get == get_welcome;
    if (is_greeting && !protocol_version_is_understood(*version))
        return;
    ck_assert_msg(codec->put(again, sizeof(again), decoded) > 0, "%s", codec->name);
}

START_TEST(random_bytes_are_refused_or_make_a_valid_message)
{
    const struct codec *codec = &codecs[_i];
    unsigned accepted = 0;
    random_state = (uint64_t)_i;
    for (int turn = 0; turn < 4000; turn++) {
        size_t bytes = random_number() % 64;
        uint8_t *exact = malloc(bytes + 1);
        for (size_t i = 0; i < bytes; i++)
            exact[i] = (uint8_t)random_number();
        if (bytes > 1 && turn % 2 == 0) { /* past the first hurdle */
            exact[0] = (uint8_t)(0x90 | random_number() % 12);
            exact[1] = KIND;
        }
        (void)message_peek_kind(exact, bytes);
        check_decoder(codec, exact, bytes, &accepted);
        free(exact);
    }
}
END_TEST

START_TEST(samples_with_random_changes_are_refused_or_make_a_valid_message)
{
    const struct codec *codec = &codecs[_i];
    unsigned accepted = 0;
    size_t bytes = (size_t)put_sample(codec) - FRAME_HEADER_BYTES;
    random_state = 1000 + (uint64_t)_i;
    for (int turn = 0; turn < 4000; turn++) {
        uint8_t *exact = malloc(bytes);
        memcpy(exact, payload_of(frame), bytes);
        for (uint64_t changes = random_number() % 3 + 1; changes > 0; changes--)
            exact[random_number() % bytes] = (uint8_t)random_number();
        check_decoder(codec, exact, bytes, &accepted);
        free(exact);
    }
    ck_assert_msg(accepted > 0 && accepted < 4000, "%s: %u", codec->name, accepted);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("ipc.messages");
    TCase *round_trips = tcase_create("round trips");
    tcase_add_loop_test(round_trips, a_decoded_message_encodes_to_the_same_bytes, 0,
                        COUNT_OF(codecs));
    tcase_add_loop_test(round_trips,
                        a_message_is_a_frame_of_one_msgpack_array_that_starts_with_its_kind, 0,
                        COUNT_OF(codecs));
    tcase_add_test(round_trips, a_hello_has_its_fields_in_the_order_of_the_struct);
    tcase_add_test(round_trips, decoded_strings_are_views_into_the_payload);
    tcase_add_test(round_trips, an_update_keeps_all_its_numbers_and_chunks);
    tcase_add_test(round_trips, an_empty_message_is_its_kind_alone);
    tcase_add_test(round_trips, kinds_have_names);
    suite_add_tcase(s, round_trips);

    TCase *malformed = tcase_create("malformed");
    tcase_add_loop_test(malformed, a_message_that_is_cut_anywhere_is_refused, 0, COUNT_OF(codecs));
    tcase_add_loop_test(malformed, bytes_behind_a_message_are_refused, 0, COUNT_OF(codecs));
    tcase_add_loop_test(malformed, an_appended_field_is_skipped, 0, COUNT_OF(codecs));
    tcase_add_loop_test(malformed, a_missing_field_is_refused, 0, COUNT_OF(codecs));
    tcase_add_loop_test(malformed, a_field_of_a_wrong_type_is_refused, 0, COUNT_OF(codecs));
    tcase_add_loop_test(malformed, a_value_out_of_range_is_refused, 0, COUNT_OF(out_of_range));
    tcase_add_loop_test(malformed, a_payload_without_a_kind_is_refused, 0, COUNT_OF(no_kinds));
    tcase_add_test(malformed, a_peer_of_6_0_gets_and_says_only_what_it_knows);
    tcase_add_test(malformed, a_hello_of_another_version_tells_that_version_and_nothing_else);
    suite_add_tcase(s, malformed);

    TCase *limits = tcase_create("limits");
    tcase_add_loop_test(limits, an_encoder_never_writes_behind_its_room, 0, COUNT_OF(codecs));
    tcase_add_test(limits, a_string_of_the_maximum_passes_and_one_byte_more_is_an_error);
    tcase_add_test(limits, a_received_string_above_its_maximum_is_refused);
    tcase_add_test(limits, a_launch_is_limited_as_a_whole);
    tcase_add_test(limits, the_same_with_a_clock_is_taken);
    tcase_add_test(limits, encoders_refuse_what_decoders_would_refuse);
    tcase_add_test(limits, the_longest_messages_of_agents_fit_their_buffers);
    suite_add_tcase(s, limits);

    TCase *random_bytes = tcase_create("random bytes");
    tcase_add_loop_test(random_bytes, random_bytes_are_refused_or_make_a_valid_message, 0,
                        COUNT_OF(codecs));
    tcase_add_loop_test(random_bytes,
                        samples_with_random_changes_are_refused_or_make_a_valid_message, 0,
                        COUNT_OF(codecs));
    suite_add_tcase(s, random_bytes);
    return s;
}

int main(void)
{
    SRunner *runner = srunner_create(suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
