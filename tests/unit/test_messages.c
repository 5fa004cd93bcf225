/* ipc.messages: what is encoded is decoded to the same. */
#include <msgpack.h>

#include "tests/unit/message_samples.h"
#include "tests/unit/run_suite.h"

static uint8_t decoded[sizeof(struct message_chunk_manager_update)];

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
    return s;
}

int main(void)
{
    return run_suite(suite());
}
