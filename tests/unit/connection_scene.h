/* Two ends of a connection, which write down what they are told, or one whose peer is a bare
 * descriptor. */
#ifndef TESTS_UNIT_CONNECTION_SCENE_H
#define TESTS_UNIT_CONNECTION_SCENE_H

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ipc/connection.h"
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

static inline void make_pair(int ends[2])
{
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
}

static void open_connection(struct witness *witness, int fd)
{
    ck_assert_int_eq(connection_accept(&loop, fd, &events, witness, &witness->connection), 0);
}

static inline void connect_both(void)
{
    int ends[2];
    make_pair(ends);
    open_connection(&here, ends[0]);
    open_connection(&there, ends[1]);
}

static inline void connect_raw(void)
{
    int ends[2];
    make_pair(ends);
    open_connection(&here, ends[0]);
    raw_fd = ends[1];
}

static inline void run_until_messages(const struct witness *witness, unsigned count)
{
    while (witness->messages < count)
        ck_assert_int_ne(uv_run(&loop, UV_RUN_ONCE), 0);
}

static inline void run_until_closed(const struct witness *witness)
{
    while (witness->closed_calls == 0)
        uv_run(&loop, UV_RUN_ONCE);
}

static uint8_t frame[MESSAGE_MAX_BYTES];

static size_t make_message(enum message_kind kind)
{
    struct message_generation message = { .generation = 1 };
    long length = message_put_generation(frame, sizeof(frame), kind, &message);
    ck_assert_int_gt(length, 0);
    return (size_t)length;
}

static inline size_t make_large_message(void)
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

static inline void write_raw(const void *bytes, size_t count)
{
    ck_assert_int_eq(write(raw_fd, bytes, count), (ssize_t)count);
}

static inline int open_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 1024; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static inline TCase *add_case(Suite *s, const char *name)
{
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, make_loop, close_loop);
    suite_add_tcase(s, tcase);
    return tcase;
}

#endif
