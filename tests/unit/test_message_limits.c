/* ipc.messages: the lengths and values that encoders and decoders allow. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/message_samples.h"
#include "tests/unit/run_suite.h"

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

static Suite *suite(void)
{
    Suite *s = suite_create("ipc.message_limits");

    TCase *limits = tcase_create("limits");
    tcase_add_loop_test(limits, an_encoder_never_writes_behind_its_room, 0, COUNT_OF(codecs));
    tcase_add_test(limits, a_string_of_the_maximum_passes_and_one_byte_more_is_an_error);
    tcase_add_test(limits, a_received_string_above_its_maximum_is_refused);
    tcase_add_test(limits, a_launch_is_limited_as_a_whole);
    tcase_add_test(limits, the_same_with_a_clock_is_taken);
    tcase_add_test(limits, encoders_refuse_what_decoders_would_refuse);
    tcase_add_test(limits, the_longest_messages_of_agents_fit_their_buffers);
    suite_add_tcase(s, limits);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
