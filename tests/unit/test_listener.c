/* ipc.listener: who connects, and who is turned away. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "ipc/listener.h"
#include "tests/unit/connection_scene.h"
#include "tests/unit/run_suite.h"

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

static Suite *suite(void)
{
    Suite *s = suite_create("ipc.listener");

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
    return run_suite(suite());
}
