/* A sample of every message, with a different value in every field, and all encoders and decoders
 * as a table. */
#ifndef TESTS_UNIT_MESSAGE_SAMPLES_H
#define TESTS_UNIT_MESSAGE_SAMPLES_H

#include <check.h>
#include <errno.h>

#include "ipc/frame.h"
#include "ipc/messages.h"

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define STRING(literal)                                                                            \
    {                                                                                              \
        .bytes = literal, .length = sizeof(literal) - 1                                            \
    }

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
static const struct message_program sample_program = {
    .protocol_version = PROTOCOL_VERSION,
    .time_ns = UINT64_C(987654321013),
    .cpu_ns = UINT64_MAX,
    .obstacle = OBSTACLE_STATIC,
    .has_failed = 1,
    .path = STRING("/bin/busybox"),
    .is_about_child = 1,
};
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

#endif
