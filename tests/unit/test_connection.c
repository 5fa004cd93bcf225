#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ipc/connection.h"
#include "ipc/listener.h"
#include "ipc/messages.h"

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { MAX_RECORDED = 64 };

/* An owner that writes down what it is told. */
struct witness {
    struct connection *connection; /* NULL after on_closed */
    unsigned messages;
    unsigned kinds[MAX_RECORDED];
    size_t bytes[MAX_RECORDED];
    size_t fd_counts[MAX_RECORDED];
    int kept_fd; /* the last message's first descriptor, when it keeps them */
    bool keeps_descriptors;
    unsigned close_after; /* close in the on_message of this number; 0: never */
    unsigned closed_calls;
    int reason;
};

static uv_loop_t loop;
static struct witness here, there;
static int raw_fd; /* the other end of HERE's connection, when that is no connection */

static void on_message(struct connection *connection, unsigned kind, const uint8_t *payload,
                       size_t bytes, int *fds, size_t fd_count, void *owner)
{
    struct witness *witness = owner;
    ck_assert_ptr_eq(connection, witness->connection);
    ck_assert_int_eq(message_peek_kind(payload, bytes), kind);
    ck_assert_uint_eq(witness->closed_calls, 0);
    unsigned slot = witness->messages++ % MAX_RECORDED;
    witness->kinds[slot] = kind;
    witness->bytes[slot] = bytes;
    witness->fd_counts[slot] = fd_count;
    if (witness->keeps_descriptors && fd_count > 0) {
        witness->kept_fd = fds[0];
        fds[0] = -1;
    }
    if (witness->messages == witness->close_after)
        connection_close(connection, -ECANCELED);
}

static void on_closed(struct connection *connection, int reason, void *owner)
{
    struct witness *witness = owner;
    ck_assert_ptr_eq(connection, witness->connection);
    witness->connection = NULL;
    witness->closed_calls++;
    witness->reason = reason;
}

static const struct connection_events events = { .on_message = on_message, .on_closed = on_closed };

static void make_loop(void)
{
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    here = there = (struct witness){ .kept_fd = -1 };
    raw_fd = -1;
}

static void run_until_idle(void)
{
    ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
}

static void close_loop(void)
{
    if (here.connection != NULL)
        connection_close(here.connection, -ECANCELED);
    if (there.connection != NULL)
        connection_close(there.connection, -ECANCELED);
    if (raw_fd >= 0)
        close(raw_fd);
    run_until_idle();
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

static void make_pair(int ends[2])
{
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
}

static void open_connection(struct witness *witness, int fd)
{
    ck_assert_int_eq(connection_accept(&loop, fd, &events, witness, &witness->connection), 0);
}

static void connect_both(void)
{
    int ends[2];
    make_pair(ends);
    open_connection(&here, ends[0]);
    open_connection(&there, ends[1]);
}

static void connect_raw(void)
{
    int ends[2];
    make_pair(ends);
    open_connection(&here, ends[0]);
    raw_fd = ends[1];
}

static void run_until_messages(const struct witness *witness, unsigned count)
{
    while (witness->messages < count)
        ck_assert_int_ne(uv_run(&loop, UV_RUN_ONCE), 0);
}

static void run_until_closed(const struct witness *witness)
{
    while (witness->closed_calls == 0)
        uv_run(&loop, UV_RUN_ONCE);
}

/* --- messages to send --- */

static uint8_t frame[MESSAGE_MAX_BYTES];

static size_t make_message(enum message_kind kind)
{
    struct message_generation message = { .generation = 1 };
    long length = message_put_generation(frame, sizeof(frame), kind, &message);
    ck_assert_int_gt(length, 0);
    return (size_t)length;
}

static size_t make_large_message(void)
{
    static char json[MESSAGE_MAX_STATUS];
    memset(json, ' ', sizeof(json));
    struct message_status message = { .json = { json, sizeof(json) } };
    long length = message_put_status(frame, sizeof(frame), MESSAGE_STATUS, &message);
    ck_assert_int_gt(length, 0);
    return (size_t)length;
}

static int send_kind(struct witness *from, enum message_kind kind, const int *fds, size_t fd_count)
{
    return connection_send(from->connection, frame, make_message(kind), fds, fd_count);
}

static void write_raw(const void *bytes, size_t count)
{
    ck_assert_int_eq(write(raw_fd, bytes, count), (ssize_t)count);
}

static int open_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 1024; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* --- messages --- */

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

/* --- descriptors --- */

static bool is_same_file(int fd, const struct stat *expected)
{
    struct stat status;
    ck_assert_int_eq(fstat(fd, &status), 0);
    return status.st_dev == expected->st_dev && status.st_ino == expected->st_ino;
}

START_TEST(descriptors_arrive_with_their_own_message)
{
    static const size_t counts[] = { 0, 2, 0, 1, 4, 0 };
    connect_both();
    for (int i = 0; i < COUNT_OF(counts); i++) {
        int fds[4] = { dup(0), dup(0), dup(0), dup(0) };
        for (size_t unused = counts[i]; unused < 4; unused++)
            close(fds[unused]);
        ck_assert_int_eq(send_kind(&here, MESSAGE_HELLO, fds, counts[i]), 0);
    }
    run_until_messages(&there, COUNT_OF(counts));
    for (int i = 0; i < COUNT_OF(counts); i++)
        ck_assert_uint_eq(there.fd_counts[i], counts[i]);
}
END_TEST

START_TEST(descriptors_of_a_message_that_arrives_in_pieces_are_its_own)
{
    connect_both();
    size_t length = make_large_message();
    for (int i = 0; i < 3; i++) {
        int fd = dup(0);
        ck_assert_int_eq(connection_send(here.connection, frame, length, &fd, 1), 0);
        ck_assert_int_eq(connection_send(here.connection, frame, length, NULL, 0), 0);
    }
    run_until_messages(&there, 6);
    for (int i = 0; i < 6; i++)
        ck_assert_uint_eq(there.fd_counts[i], i % 2 == 0 ? 1 : 0);
}
END_TEST

START_TEST(a_kept_descriptor_stays_open_and_the_others_are_closed)
{
    struct stat status;
    int pipe_ends[2];
    connect_both();
    ck_assert_int_eq(pipe(pipe_ends), 0);
    ck_assert_int_eq(fstat(pipe_ends[0], &status), 0);
    int expected = open_descriptors() - 1;
    there.keeps_descriptors = true;
    ck_assert_int_eq(send_kind(&here, MESSAGE_HELLO, pipe_ends, 2), 0);
    run_until_messages(&there, 1);
    ck_assert_uint_eq(there.fd_counts[0], 2);
    ck_assert_int_ge(there.kept_fd, 0);
    ck_assert(is_same_file(there.kept_fd, &status));
    ck_assert_int_eq(open_descriptors(), expected);
    close(there.kept_fd);
}
END_TEST

START_TEST(descriptors_of_a_message_that_never_gets_whole_are_closed)
{
    int expected = open_descriptors();
    connect_raw();
    int fds[2] = { 0, 0 };
    ck_assert_int_eq(socket_send(raw_fd, "\x09\0\0\0\x91", 5, fds, 2), 5);
    close(raw_fd);
    raw_fd = -1;
    run_until_closed(&here);
    ck_assert_uint_eq(here.messages, 0);
    ck_assert_int_eq(here.reason, -ESHUTDOWN);
    ck_assert_int_eq(open_descriptors(), expected);
}
END_TEST

START_TEST(too_many_descriptors_for_one_message_end_the_connection)
{
    connect_raw();
    int expected = open_descriptors() - 1;
    int fds[4] = { 0, 0, 0, 0 };
    ck_assert_int_eq(socket_send(raw_fd, "\x09\0", 2, fds, 4), 2);
    ck_assert_int_eq(socket_send(raw_fd, "\0\0", 2, fds, 1), 2);
    run_until_closed(&here);
    ck_assert_int_eq(here.reason, -EPROTO);
    ck_assert_int_eq(open_descriptors(), expected);
}
END_TEST

/* --- the end --- */

START_TEST(everything_sent_before_the_end_is_delivered_before_it)
{
    connect_both();
    for (int i = 0; i < 50; i++)
        ck_assert_int_eq(send_kind(&here, MESSAGE_STARTED, NULL, 0), 0);
    connection_close(here.connection, -ECANCELED);
    run_until_closed(&there);
    ck_assert_uint_eq(there.messages, 50);
    ck_assert_int_eq(there.reason, -ESHUTDOWN);
    ck_assert_int_eq(here.reason, -ECANCELED);
    run_until_idle();
    ck_assert_uint_eq(here.closed_calls, 1);
    ck_assert_uint_eq(there.closed_calls, 1);
}
END_TEST

START_TEST(the_last_words_of_a_peer_that_nobody_can_answer_are_heard)
{
    connect_raw();
    size_t length = make_message(MESSAGE_STOPPED);
    for (int i = 0; i < 5; i++)
        write_raw(frame, length);
    close(raw_fd);
    raw_fd = -1;
    ck_assert_int_eq(send_kind(&here, MESSAGE_STOP, NULL, 0), -EPIPE);
    ck_assert_uint_eq(here.closed_calls, 0);
    run_until_closed(&here);
    ck_assert_uint_eq(here.messages, 5);
    ck_assert_int_lt(here.reason, 0);
}
END_TEST

START_TEST(the_last_words_of_a_peer_that_left_bytes_unread_are_heard)
{
    connect_raw();
    ck_assert_int_eq(send_kind(&here, MESSAGE_STOP, NULL, 0), 0);
    write_raw(frame, make_message(MESSAGE_STOPPED));
    close(raw_fd);
    raw_fd = -1;
    run_until_closed(&here);
    ck_assert_uint_eq(here.messages, 1);
    ck_assert_int_eq(here.reason, -ECONNRESET);
}
END_TEST

START_TEST(a_peer_that_stops_reading_for_good_is_closed)
{
    connect_raw();
    ck_assert_int_eq(shutdown(raw_fd, SHUT_RD), 0);
    ck_assert_int_eq(send_kind(&here, MESSAGE_STOP, NULL, 0), -EPIPE);
    ck_assert_int_eq(send_kind(&here, MESSAGE_STOP, NULL, 0), -EPIPE);
    run_until_closed(&here);
    ck_assert_int_eq(here.reason, -EPIPE);
}
END_TEST

START_TEST(closing_in_on_message_stops_the_delivery)
{
    connect_both();
    there.close_after = 2;
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(send_kind(&here, MESSAGE_STARTED, NULL, 0), 0);
    run_until_closed(&there);
    ck_assert_uint_eq(there.messages, 2);
    ck_assert_int_eq(there.reason, -ECANCELED);
}
END_TEST

START_TEST(the_first_reason_counts_and_the_end_is_told_once_from_the_loop)
{
    connect_raw();
    connection_close(here.connection, -EACCES);
    connection_close(here.connection, -ECANCELED);
    connection_finish(here.connection, -ECANCELED, 1000);
    connection_set_deadline(here.connection, 1);
    ck_assert_uint_eq(here.closed_calls, 0);
    run_until_idle();
    ck_assert_uint_eq(here.closed_calls, 1);
    ck_assert_int_eq(here.reason, -EACCES);
}
END_TEST

START_TEST(a_send_on_a_closing_connection_fails_and_takes_the_descriptors)
{
    connect_raw();
    int expected = open_descriptors() - 1;
    int fds[2] = { dup(0), dup(0) };
    connection_close(here.connection, -ECANCELED);
    ck_assert_int_eq(send_kind(&here, MESSAGE_STOP, fds, 2), -ENOTCONN);
    ck_assert_int_eq(open_descriptors(), expected);
}
END_TEST

/* --- bad peers --- */

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

/* --- finishing and deadlines --- */

START_TEST(finishing_sends_what_waits_and_then_closes)
{
    connect_both();
    size_t length = make_large_message();
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(connection_send(here.connection, frame, length, NULL, 0), 0);
    connection_finish(here.connection, -EPERM, 60000);
    ck_assert_int_eq(send_kind(&here, MESSAGE_STOP, NULL, 0), -ENOTCONN);
    run_until_idle();
    ck_assert_uint_eq(there.messages, 4);
    ck_assert_int_eq(there.reason, -ESHUTDOWN);
    ck_assert_int_eq(here.reason, -EPERM);
}
END_TEST

START_TEST(finishing_hears_nothing_more_and_waits_no_longer_than_told)
{
    connect_raw();
    size_t length = make_large_message();
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(connection_send(here.connection, frame, length, NULL, 0), 0);
    connection_finish(here.connection, -EPERM, 1);
    write_raw(frame, make_message(MESSAGE_STOPPED));
    run_until_closed(&here);
    ck_assert_int_eq(here.reason, -EPERM);
    ck_assert_uint_eq(here.messages, 0);
}
END_TEST

START_TEST(a_deadline_ends_the_connection_unless_it_is_lifted)
{
    connect_both();
    connection_set_deadline(here.connection, 1);
    connection_set_deadline(here.connection, 0);
    connection_set_deadline(there.connection, 1);
    run_until_closed(&there);
    ck_assert_int_eq(there.reason, -ETIMEDOUT);
    run_until_closed(&here);
    ck_assert_int_eq(here.reason, -ESHUTDOWN);
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

/* --- the listener --- */

static char folder[64], path[96];
static char text[LISTENER_ERROR_TEXT];
static struct listener *listener;
static unsigned accepted;

static void on_accept(struct listener *from, int fd, const struct peer_credentials *peer,
                      void *owner)
{
    ck_assert_ptr_eq(from, listener);
    ck_assert_int_eq(peer->pid, getpid());
    accepted++;
    struct witness *witness = owner;
    if (witness->connection == NULL)
        open_connection(witness, fd);
    else
        close(fd);
}

static void make_listener(void)
{
    make_loop();
    accepted = 0;
    strcpy(folder, "/tmp/profd-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/profd.sock", folder);
    ck_assert_int_eq(listener_create(&loop, path, on_accept, &there, &listener, text), 0);
}

static void remove_listener(void)
{
    listener_close(listener, NULL);
    close_loop();
    ck_assert_int_eq(rmdir(folder), 0);
}

static void connect_here(void)
{
    ck_assert_int_eq(connection_connect(&loop, path, 1000, &events, &here, &here.connection), 0);
}

START_TEST(a_client_connects_and_both_talk)
{
    connect_here();
    ck_assert_int_eq(send_kind(&here, MESSAGE_CLIENT_STOP, NULL, 0), 0);
    run_until_messages(&there, 1);
    ck_assert_int_eq(send_kind(&there, MESSAGE_REPLY, NULL, 0), 0);
    run_until_messages(&here, 1);
    ck_assert_uint_eq(accepted, 1);
}
END_TEST

START_TEST(a_second_listener_is_refused_with_a_line_that_names_the_path)
{
    struct listener *second = NULL;
    ck_assert_int_eq(listener_create(&loop, path, on_accept, &there, &second, text), -EADDRINUSE);
    ck_assert_ptr_nonnull(strstr(text, path));
    ck_assert_ptr_null(second);
    connect_here();
}
END_TEST

static void note_closed(void *owner)
{
    ((struct witness *)owner)->closed_calls++;
}

START_TEST(a_closed_listener_is_gone_at_once_and_its_connections_stay)
{
    connect_here();
    while (accepted == 0)
        uv_run(&loop, UV_RUN_ONCE);
    listener_close(listener, note_closed);
    listener_close(listener, note_closed);
    struct connection *connection;
    ck_assert_int_eq(connection_connect(&loop, path, 1000, &events, &here, &connection), -ENOENT);
    uv_run(&loop, UV_RUN_NOWAIT);
    ck_assert_uint_eq(there.closed_calls, 1);
    there.closed_calls = 0;
    ck_assert_int_eq(send_kind(&here, MESSAGE_CLIENT_STOP, NULL, 0), 0);
    run_until_messages(&there, 1);
    ck_assert_int_eq(listener_create(&loop, path, on_accept, &there, &listener, text), 0);
}
END_TEST

START_TEST(a_peer_for_whom_no_descriptor_is_left_is_turned_away)
{
    struct rlimit before, none;
    connect_here();
    while (accepted == 0)
        uv_run(&loop, UV_RUN_ONCE);
    int waiting = socket_connect(path, 0);
    ck_assert_int_ge(waiting, 0);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    int lowest_free = dup(0);
    close(lowest_free);
    none.rlim_cur = (rlim_t)lowest_free;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    while (listener_turned_away(listener) == 0)
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
    close(waiting);

    waiting = socket_connect(path, 0);
    while (accepted < 2)
        uv_run(&loop, UV_RUN_ONCE);
    close(waiting);
}
END_TEST

static TCase *add_case(Suite *s, const char *name)
{
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, make_loop, close_loop);
    suite_add_tcase(s, tcase);
    return tcase;
}

static Suite *suite(void)
{
    Suite *s = suite_create("ipc.connection");
    TCase *messages = add_case(s, "messages");
    tcase_add_test(messages, messages_arrive_whole_and_in_order);
    tcase_add_test(messages, messages_larger_than_the_kernel_s_buffers_wait_and_arrive);
    tcase_add_test(messages, nothing_is_delivered_from_inside_a_send);
    tcase_add_test(messages, the_owner_and_its_events_can_change);
    tcase_add_test(messages, the_peer_is_the_kernel_s_word);

    TCase *descriptors = add_case(s, "descriptors");
    tcase_add_test(descriptors, descriptors_arrive_with_their_own_message);
    tcase_add_test(descriptors, descriptors_of_a_message_that_arrives_in_pieces_are_its_own);
    tcase_add_test(descriptors, a_kept_descriptor_stays_open_and_the_others_are_closed);
    tcase_add_test(descriptors, descriptors_of_a_message_that_never_gets_whole_are_closed);
    tcase_add_test(descriptors, too_many_descriptors_for_one_message_end_the_connection);

    TCase *end = add_case(s, "the end");
    tcase_add_test(end, everything_sent_before_the_end_is_delivered_before_it);
    tcase_add_test(end, the_last_words_of_a_peer_that_nobody_can_answer_are_heard);
    tcase_add_test(end, the_last_words_of_a_peer_that_left_bytes_unread_are_heard);
    tcase_add_test(end, a_peer_that_stops_reading_for_good_is_closed);
    tcase_add_test(end, closing_in_on_message_stops_the_delivery);
    tcase_add_test(end, the_first_reason_counts_and_the_end_is_told_once_from_the_loop);
    tcase_add_test(end, a_send_on_a_closing_connection_fails_and_takes_the_descriptors);

    TCase *bad_peers = add_case(s, "bad peers");
    tcase_add_loop_test(bad_peers, garbage_ends_the_connection, 0, COUNT_OF(garbage));
    tcase_add_test(bad_peers, a_peer_that_does_not_read_is_closed_when_too_much_waits);
    tcase_add_test(bad_peers, random_bytes_and_descriptors_end_in_one_close_and_leak_nothing);

    TCase *finishing = add_case(s, "finishing and deadlines");
    tcase_add_test(finishing, finishing_sends_what_waits_and_then_closes);
    tcase_add_test(finishing, finishing_hears_nothing_more_and_waits_no_longer_than_told);
    tcase_add_test(finishing, a_deadline_ends_the_connection_unless_it_is_lifted);
    tcase_add_test(finishing, what_is_no_socket_is_refused_and_closed);

    TCase *listening = tcase_create("the listener");
    tcase_add_checked_fixture(listening, make_listener, remove_listener);
    tcase_add_test(listening, a_client_connects_and_both_talk);
    tcase_add_test(listening, a_second_listener_is_refused_with_a_line_that_names_the_path);
    tcase_add_test(listening, a_closed_listener_is_gone_at_once_and_its_connections_stay);
    tcase_add_test(listening, a_peer_for_whom_no_descriptor_is_left_is_turned_away);
    suite_add_tcase(s, listening);
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
