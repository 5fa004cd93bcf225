/* ipc.connection: messages, and peers that send something else. */
#include "tests/unit/connection_scene.h"
#include "tests/unit/run_suite.h"

START_TEST(messages_arrive_whole_and_in_order)
{
    connect_both();
    ck_assert_int_eq(send_kind(&here, MESSAGE_STARTED, NULL, 0), 0);
    ck_assert_int_eq(send_kind(&here, MESSAGE_PAUSED, NULL, 0), 0);
    ck_assert_int_eq(send_kind(&here, MESSAGE_STOPPED, NULL, 0), 0);
    run_until_messages(&there, 3);
    ck_assert_uint_eq(there.kinds[0], MESSAGE_STARTED);
    ck_assert_uint_eq(there.kinds[1], MESSAGE_PAUSED);
    ck_assert_uint_eq(there.kinds[2], MESSAGE_STOPPED);
}
END_TEST

START_TEST(messages_larger_than_the_kernel_s_buffers_wait_and_arrive)
{
    enum { COUNT = 8 };
    connect_both();
    for (int i = 0; i < COUNT; i++) {
        size_t length = make_large_message();
        ck_assert_int_eq(connection_send(here.connection, frame, length, NULL, 0), 0);
    }
    ck_assert_uint_gt(connection_queued_bytes(here.connection), 0);
    ck_assert_int_eq(send_kind(&here, MESSAGE_STOPPED, NULL, 0), 0);
    run_until_messages(&there, COUNT + 1);
    for (int i = 0; i < COUNT; i++)
        ck_assert_uint_gt(there.bytes[i], MESSAGE_MAX_STATUS);
    ck_assert_uint_eq(there.kinds[COUNT], MESSAGE_STOPPED);
    ck_assert_uint_eq(connection_queued_bytes(here.connection), 0);
}
END_TEST

START_TEST(nothing_is_delivered_from_inside_a_send)
{
    connect_both();
    ck_assert_int_eq(send_kind(&here, MESSAGE_STARTED, NULL, 0), 0);
    ck_assert_int_eq(send_kind(&there, MESSAGE_STARTED, NULL, 0), 0);
    ck_assert_uint_eq(here.messages + there.messages, 0);
    run_until_messages(&here, 1);
    run_until_messages(&there, 1);
}
END_TEST

START_TEST(the_owner_and_its_events_can_change)
{
    struct witness second = { .kept_fd = -1 };
    connect_both();
    second.connection = there.connection;
    connection_set_events(there.connection, &events, &second);
    ck_assert_ptr_eq(connection_owner(there.connection), &second);
    ck_assert_int_eq(send_kind(&here, MESSAGE_STARTED, NULL, 0), 0);
    run_until_messages(&second, 1);
    ck_assert_uint_eq(there.messages, 0);
    connection_set_events(there.connection, &events, &there);
}
END_TEST

START_TEST(the_peer_is_the_kernel_s_word)
{
    connect_both();
    ck_assert_int_eq(connection_peer(here.connection)->pid, getpid());
    ck_assert_uint_eq(connection_peer(here.connection)->uid, geteuid());
}
END_TEST

static const struct {
    const char *name;
    uint8_t bytes[16];
    size_t count;
} garbage[] = {
    { "length 0", { 0, 0, 0, 0 }, 4 },
    { "length of half a megabyte and a byte", { 1, 0, 8, 0 }, 4 },
    { "text", "GET / HTTP/1.1", 14 },
    { "payload that is no array", { 1, 0, 0, 0, 5 }, 5 },
    { "kind 0", { 2, 0, 0, 0, 0x91, 0 }, 6 },
};

START_TEST(garbage_ends_the_connection)
{
    connect_raw();
    write_raw(garbage[_i].bytes, garbage[_i].count);
    run_until_closed(&here);
    ck_assert_msg(here.reason == -EPROTO && here.messages == 0, "%s: %d", garbage[_i].name,
                  here.reason);
}
END_TEST

START_TEST(a_peer_that_does_not_read_is_closed_when_too_much_waits)
{
    connect_raw();
    int error, sent = 0;
    int expected = open_descriptors() - 1;
    size_t length = make_large_message();
    do {
        int fd = dup(0);
        error = connection_send(here.connection, frame, length, &fd, 1);
        ck_assert_uint_le(connection_queued_bytes(here.connection), CONNECTION_MAX_QUEUED_BYTES);
        sent++;
    } while (error == 0 && sent < 100);
    ck_assert_int_eq(error, -ENOBUFS);
    ck_assert_int_ge(sent, CONNECTION_MAX_QUEUED_BYTES / (int)sizeof(frame));
    run_until_closed(&here);
    ck_assert_int_eq(here.reason, -ENOBUFS);
    ck_assert_int_eq(open_descriptors(), expected);
}
END_TEST

static uint64_t random_state;

/* A fixed sequence of good quality (splitmix64), the same in every run. */
static uint64_t random_number(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A few writes of anything, some shaped like frames, some with descriptors, then the end. */
static void write_random_things(void)
{
    for (uint64_t writes = random_number() % 6; writes > 0; writes--) {
        uint8_t bytes[64];
        int fds[SOCKET_MAX_DESCRIPTORS] = { 0 };
        size_t count = 1 + random_number() % sizeof(bytes);
        for (size_t i = 0; i < count; i++)
            bytes[i] = (uint8_t)random_number();
        if (count > 6 && random_number() % 4 != 0) {
            uint8_t head[] = { (uint8_t)(count - 4), 0, 0, 0, 0x91, 1 };
            memcpy(bytes, head, sizeof(head));
        }
        ck_assert_int_gt(socket_send(raw_fd, bytes, count, fds, random_number() % 5), 0);
    }
    close(raw_fd);
    raw_fd = -1;
}

START_TEST(random_bytes_and_descriptors_end_in_one_close_and_leak_nothing)
{
    int expected = open_descriptors();
    unsigned delivered = 0;
    random_state = 4;
    for (int turn = 0; turn < 2000; turn++) {
        here = (struct witness){ .kept_fd = -1 };
        connect_raw();
        write_random_things();
        run_until_idle();
        ck_assert_uint_eq(here.closed_calls, 1);
        delivered += here.messages;
    }
    ck_assert_uint_gt(delivered, 1000);
    ck_assert_int_eq(open_descriptors(), expected);
}
END_TEST

START_TEST(what_is_no_socket_is_refused_and_closed)
{
    int expected = open_descriptors();
    int fd = open("/dev/null", O_RDONLY);
    ck_assert_int_eq(connection_accept(&loop, fd, &events, &here, &here.connection), -ENOTSOCK);
    ck_assert_int_eq(open_descriptors(), expected);
    ck_assert_ptr_null(here.connection);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("ipc.connection");
    TCase *messages = add_case(s, "messages");
    tcase_add_test(messages, messages_arrive_whole_and_in_order);
    tcase_add_test(messages, messages_larger_than_the_kernel_s_buffers_wait_and_arrive);
    tcase_add_test(messages, nothing_is_delivered_from_inside_a_send);
    tcase_add_test(messages, the_owner_and_its_events_can_change);
    tcase_add_test(messages, the_peer_is_the_kernel_s_word);

    TCase *bad_peers = add_case(s, "bad peers");
    tcase_add_loop_test(bad_peers, garbage_ends_the_connection, 0, COUNT_OF(garbage));
    tcase_add_test(bad_peers, a_peer_that_does_not_read_is_closed_when_too_much_waits);
    tcase_add_test(bad_peers, random_bytes_and_descriptors_end_in_one_close_and_leak_nothing);
    tcase_add_test(bad_peers, what_is_no_socket_is_refused_and_closed);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
