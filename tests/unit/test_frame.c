#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/frame.h"
#include "tests/unit/run_suite.h"

static struct frame_reader reader;

static void set_up(void)
{
    frame_reader_init(&reader);
}

static void tear_down(void)
{
    frame_reader_destroy(&reader);
}

static void feed_bytes(const void *bytes, size_t count)
{
    const uint8_t *next = bytes;
    while (count > 0) {
        uint8_t *room;
        size_t room_bytes;
        ck_assert_int_eq(frame_reader_room(&reader, &room, &room_bytes), 0);
        ck_assert_uint_gt(room_bytes, 0);
        size_t part = count < room_bytes ? count : room_bytes;
        memcpy(room, next, part);
        frame_reader_filled(&reader, part);
        next += part;
        count -= part;
    }
}

static void feed_header(uint32_t length)
{
    uint8_t header[FRAME_HEADER_BYTES] = { (uint8_t)length, (uint8_t)(length >> 8),
                                           (uint8_t)(length >> 16), (uint8_t)(length >> 24) };
    feed_bytes(header, sizeof(header));
}

static void expect_payload(const void *expected, size_t count)
{
    const uint8_t *payload;
    size_t bytes;
    ck_assert_int_eq(frame_reader_next(&reader, &payload, &bytes), 1);
    ck_assert_uint_eq(bytes, count);
    ck_assert_mem_eq(payload, expected, count);
}

static int next_result(void)
{
    const uint8_t *payload;
    size_t bytes;
    return frame_reader_next(&reader, &payload, &bytes);
}

START_TEST(a_payload_that_arrives_byte_by_byte_is_handed_out_once_whole)
{
    static const uint8_t frame[] = { 3, 0, 0, 0, 'a', 'b', 'c' };
    for (size_t i = 0; i + 1 < sizeof(frame); i++) {
        feed_bytes(frame + i, 1);
        ck_assert_int_eq(next_result(), 0);
    }
    feed_bytes(frame + sizeof(frame) - 1, 1);
    expect_payload("abc", 3);
    ck_assert_int_eq(next_result(), 0);
    ck_assert_uint_eq(frame_reader_pending(&reader), 0);
}
END_TEST

START_TEST(payloads_that_arrive_together_are_handed_out_in_order)
{
    static const uint8_t frames[] = { 1, 0, 0, 0, 'a', 2, 0, 0, 0, 'b', 'c', 1, 0 };
    feed_bytes(frames, sizeof(frames));
    expect_payload("a", 1);
    expect_payload("bc", 2);
    ck_assert_int_eq(next_result(), 0);
    ck_assert_uint_eq(frame_reader_pending(&reader), 2);
    feed_bytes("\0\0d", 3);
    expect_payload("d", 1);
}
END_TEST

static const uint32_t bad_lengths[] = { 0, FRAME_MAX_BYTES + 1, 0x80000000u, UINT32_MAX };

START_TEST(a_length_out_of_bounds_is_refused_before_its_payload_arrives)
{
    feed_header(bad_lengths[_i]);
    ck_assert_int_eq(next_result(), -EPROTO);
}
END_TEST

START_TEST(an_announced_length_alone_makes_nothing_grow)
{
    feed_header(1);
    feed_bytes("x", 1);
    expect_payload("x", 1);
    size_t capacity = reader.capacity;
    feed_header(FRAME_MAX_BYTES);
    ck_assert_int_eq(next_result(), 0);
    feed_bytes("x", 1);
    ck_assert_uint_eq(reader.capacity, capacity);
}
END_TEST

START_TEST(a_maximal_payload_arrives_whole_and_its_memory_is_given_back)
{
    uint8_t *payload = malloc(FRAME_MAX_BYTES);
    ck_assert_ptr_nonnull(payload);
    for (size_t i = 0; i < FRAME_MAX_BYTES; i++)
        payload[i] = (uint8_t)(i * 31 + i / 256);
    for (int turn = 0; turn < 3; turn++) {
        feed_header(FRAME_MAX_BYTES);
        feed_bytes(payload, FRAME_MAX_BYTES);
        expect_payload(payload, FRAME_MAX_BYTES);
    }
    ck_assert_uint_ge(reader.capacity, FRAME_MAX_BYTES);
    feed_header(1);
    ck_assert_uint_lt(reader.capacity, FRAME_MAX_BYTES / 8);
    free(payload);
}
END_TEST

START_TEST(a_reader_whose_payloads_nobody_takes_stays_bounded)
{
    static const uint8_t frame[] = { 4, 0, 0, 0, 'a', 'b', 'c', 'd' };
    uint8_t *room;
    size_t room_bytes;
    int error;
    while ((error = frame_reader_room(&reader, &room, &room_bytes)) == 0) {
        for (size_t i = 0; i < room_bytes; i++)
            room[i] = frame[i % sizeof(frame)];
        frame_reader_filled(&reader, room_bytes);
        ck_assert_uint_le(reader.capacity, 2 * FRAME_MAX_BYTES);
    }
    ck_assert_int_eq(error, -ENOBUFS);
    expect_payload("abcd", 4);
    ck_assert_int_eq(frame_reader_room(&reader, &room, &room_bytes), 0);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("ipc.frame");
    TCase *frames = tcase_create("frames");
    tcase_add_checked_fixture(frames, set_up, tear_down);
    tcase_add_test(frames, a_payload_that_arrives_byte_by_byte_is_handed_out_once_whole);
    tcase_add_test(frames, payloads_that_arrive_together_are_handed_out_in_order);
    suite_add_tcase(s, frames);

    TCase *limits = tcase_create("limits");
    tcase_add_checked_fixture(limits, set_up, tear_down);
    tcase_add_loop_test(limits, a_length_out_of_bounds_is_refused_before_its_payload_arrives, 0,
                        sizeof(bad_lengths) / sizeof(bad_lengths[0]));
    tcase_add_test(limits, an_announced_length_alone_makes_nothing_grow);
    tcase_add_test(limits, a_maximal_payload_arrives_whole_and_its_memory_is_given_back);
    tcase_add_test(limits, a_reader_whose_payloads_nobody_takes_stays_bounded);
    suite_add_tcase(s, limits);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
