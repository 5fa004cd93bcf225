/* What the service manager hears, at a socket that stands for it. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/service/service.h"
#include "tests/unit/run_suite.h"

static char folder[64], path[96];
static int manager;
static uv_loop_t loop;
static struct service service;
static const char *doing;

static void describe_status(char out[SERVICE_STATUS_BYTES], void *owner)
{
    ck_assert_ptr_eq(owner, &loop);
    snprintf(out, SERVICE_STATUS_BYTES, "%s", doing);
}

static const struct service_events events = { describe_status };

static void listen_as_manager(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    strcpy(folder, "/tmp/profd-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/notify", folder);
    strcpy(address.sun_path, path);
    manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(manager, (const struct sockaddr *)&address, sizeof(address)), 0);
    ck_assert_int_eq(setenv("NOTIFY_SOCKET", path, 1), 0);
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    memset(&service, 0, sizeof(service));
    doing = "nothing";
}

static void forget_manager(void)
{
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    close(manager);
    unlink(path);
    rmdir(folder);
}

/* What the manager was told and has not read; "" when there is nothing. */
static const char *told_text(void)
{
    static char text[256];
    ssize_t got = recv(manager, text, sizeof(text) - 1, 0);

    text[got > 0 ? got : 0] = '\0';
    return text;
}

static void open_service(void)
{
    ck_assert_int_eq(service_open(&service, &loop, &events, &loop), 0);
}

START_TEST(ready_then_what_it_does_then_stopping)
{
    open_service();
    ck_assert_str_eq(told_text(), "");
    service_tell_ready(&service);
    ck_assert_str_eq(told_text(), "READY=1");
    ck_assert_str_eq(told_text(), "STATUS=nothing");
    service_close(&service);
    ck_assert_str_eq(told_text(), "STOPPING=1");
    ck_assert_str_eq(told_text(), "");
}
END_TEST

START_TEST(status_is_told_when_it_is_another)
{
    open_service();
    service_tell_status(&service);
    service_tell_status(&service);
    ck_assert_str_eq(told_text(), "STATUS=nothing");
    ck_assert_str_eq(told_text(), "");
    doing = "something";
    service_tell_status(&service);
    ck_assert_str_eq(told_text(), "STATUS=something");
    service_close(&service);
}
END_TEST

START_TEST(nothing_is_told_after_the_end)
{
    open_service();
    service_close(&service);
    service_close(&service);
    service_tell_ready(&service);
    service_tell_status(&service);
    ck_assert_str_eq(told_text(), "STOPPING=1");
    ck_assert_str_eq(told_text(), "");
}
END_TEST

static void stop_timer(uv_timer_t *timer)
{
    uv_close((uv_handle_t *)timer, NULL);
}

/* Runs the loop for MS. */
static void turn_for(uint64_t ms)
{
    static uv_timer_t end;

    uv_update_time(&loop);
    uv_timer_init(&loop, &end);
    uv_timer_start(&end, stop_timer, ms, 0);
    uv_run(&loop, UV_RUN_DEFAULT);
}

/* The first beat is due in the middle of the period; a loop that does not turn gives none. */
START_TEST(the_watchdog_hears_a_loop_that_turns)
{
    setenv("WATCHDOG_USEC", "40000", 1);
    open_service();
    usleep(60 * 1000);
    ck_assert_str_eq(told_text(), "");
    turn_for(25);
    ck_assert_str_eq(told_text(), "WATCHDOG=1");
    service_close(&service);
}
END_TEST

START_TEST(the_watchdog_of_another_process_is_not_ours)
{
    setenv("WATCHDOG_USEC", "40000", 1);
    setenv("WATCHDOG_PID", "1", 1);
    open_service();
    turn_for(50);
    ck_assert_str_eq(told_text(), "");
    service_close(&service);
}
END_TEST

START_TEST(a_watchdog_that_is_no_number_is_an_error)
{
    setenv("WATCHDOG_USEC", "soon", 1);
    ck_assert_int_eq(service_open(&service, &loop, &events, &loop), -EINVAL);
    service_close(&service);
}
END_TEST

/* A timer that keeps the loop alive would keep profd from ending. */
START_TEST(heartbeat_does_not_keep_the_loop)
{
    setenv("WATCHDOG_USEC", "1000000000", 1);
    open_service();
    ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
    service_close(&service);
}
END_TEST

START_TEST(without_a_manager_nothing_happens)
{
    unsetenv("NOTIFY_SOCKET");
    setenv("WATCHDOG_USEC", "40000", 1);
    open_service();
    service_tell_ready(&service);
    turn_for(50);
    service_close(&service);
    ck_assert_str_eq(told_text(), "");
}
END_TEST

START_TEST(a_manager_that_is_gone_is_given_up)
{
    open_service();
    unlink(path);
    service_tell_ready(&service);
    ck_assert(!service.has_manager);
    service_close(&service);
}
END_TEST

/* --- Sockets --- */

static void give_sockets(const char *count, pid_t pid)
{
    char number[16];

    snprintf(number, sizeof(number), "%d", pid);
    setenv("LISTEN_PID", number, 1);
    setenv("LISTEN_FDS", count, 1);
}

START_TEST(one_socket_is_taken_once)
{
    int fd;

    dup2(manager, 3);
    give_sockets("1", getpid());
    ck_assert_int_eq(service_take_socket(&fd), 0);
    ck_assert_int_eq(fd, 3);
    ck_assert_ptr_null(getenv("LISTEN_FDS"));
    ck_assert_int_eq(service_take_socket(&fd), 0);
    ck_assert_int_eq(fd, -1);
}
END_TEST

START_TEST(sockets_of_another_process_are_not_ours)
{
    int fd;

    give_sockets("1", 1);
    ck_assert_int_eq(service_take_socket(&fd), 0);
    ck_assert_int_eq(fd, -1);
}
END_TEST

START_TEST(several_sockets_are_too_many)
{
    int fd;

    dup2(manager, 3);
    dup2(manager, 4);
    give_sockets("2", getpid());
    ck_assert_int_eq(service_take_socket(&fd), -E2BIG);
    ck_assert_int_eq(fd, -1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("service");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, listen_as_manager, forget_manager);
    tcase_add_test(tests, ready_then_what_it_does_then_stopping);
    tcase_add_test(tests, status_is_told_when_it_is_another);
    tcase_add_test(tests, nothing_is_told_after_the_end);
    tcase_add_test(tests, the_watchdog_hears_a_loop_that_turns);
    tcase_add_test(tests, the_watchdog_of_another_process_is_not_ours);
    tcase_add_test(tests, a_watchdog_that_is_no_number_is_an_error);
    tcase_add_test(tests, heartbeat_does_not_keep_the_loop);
    tcase_add_test(tests, without_a_manager_nothing_happens);
    tcase_add_test(tests, a_manager_that_is_gone_is_given_up);
    tcase_add_test(tests, one_socket_is_taken_once);
    tcase_add_test(tests, sockets_of_another_process_are_not_ours);
    tcase_add_test(tests, several_sockets_are_too_many);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
