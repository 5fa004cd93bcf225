/* daemon.metrics: real processes and requests over HTTP, by a real loop, and no daemon. */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/arena.h"
#include "buffer/group_table_writer.h"
#include "daemon/children/child_table.h"
#include "daemon/children/child_watch.h"
#include "daemon/children/pidfd.h"
#include "daemon/metrics/metrics.h"
#include "daemon/metrics/metrics_page.h"
#include "tests/unit/run_suite.h"

enum { LEASED_BYTES = 12345 };

static char folder[64];
static struct metrics_address address;
static uv_loop_t loop;
static struct child_table table;
static struct metrics metrics;
static unsigned asked;

static void on_page(struct metrics_view *view, void *context)
{
    ck_assert_ptr_eq(context, &asked);
    asked++;
    view->leased_bytes = LEASED_BYTES;
}

static const struct metrics_events events = { on_page };

static void set_up(void)
{
    char path[sizeof(folder) + 8];

    strcpy(folder, "/tmp/profd-metrics.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/page", folder);
    ck_assert_int_eq(metrics_address_parse(path, &address), 0);
    memset(&table, 0, sizeof(table));
    memset(&metrics, 0, sizeof(metrics));
    asked = 0;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    metrics_init(&metrics, &table, &events, &asked);
    ck_assert_int_eq(metrics_open(&metrics, &loop, &address, path), 0);
}

static void tear_down(void)
{
    char command[128];

    metrics_close(&metrics);
    metrics_close(&metrics);
    while (table.first != NULL) {
        child_watch_stop(table.first->watch);
        child_table_remove(&table, table.first);
    }
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

/* What a client is told, which asks while the loop runs here. */
static const char *fetch_page(void)
{
    static char text[128 * 1024];
    static const char request[] = "GET /metrics HTTP/1.0\r\n\r\n";
    struct sockaddr_un name = { .sun_family = AF_UNIX };
    size_t length = 0;
    ssize_t got;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    strcpy(name.sun_path, address.path);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&name, sizeof(name)), 0);
    ck_assert_int_eq(send(fd, request, strlen(request), MSG_NOSIGNAL), (int)strlen(request));
    do {
        uv_run(&loop, UV_RUN_NOWAIT);
        got = recv(fd, text + length, sizeof(text) - 1 - length, MSG_DONTWAIT);
        length += got > 0 ? (size_t)got : 0;
    } while (got > 0 || (got < 0 && errno == EAGAIN));
    text[length] = '\0';
    close(fd);
    return text;
}

static void expect_line(const char *text, const char *line)
{
    ck_assert_msg(strstr(text, line) != NULL, "no line with %s", line);
}

static struct child *add_child(pid_t pid, const char *executable)
{
    const struct child_introduction who = {
        .pid = pid, .start_ns = 3, .executable = executable, .executable_length = strlen(executable)
    };
    struct child *child = child_table_add(&table, &who);
    ck_assert_ptr_nonnull(child);
    return child;
}

static void end_child(struct child *child, enum process_verdict verdict, int code)
{
    child_end(&table, child, verdict, code, uv_hrtime());
    metrics_note_ended(&metrics, child);
}

START_TEST(a_page_has_processes_and_what_profd_says_of_itself)
{
    add_child(10, "/usr/bin/server");
    add_child(11, "/opt/server");
    end_child(add_child(12, "/usr/bin/server"), VERDICT_EXITED, 3);
    const char *text = fetch_page();
    ck_assert_uint_eq(asked, 1);
    expect_line(text, "\nprofd_processes{program=\"server\"} 2\n");
    expect_line(text, "\nprofd_process_ends_total{program=\"server\",verdict=\"failed\"} 1\n");
    expect_line(text, "\nprofd_memory_leased_bytes 12345\n");
}
END_TEST

START_TEST(groups_of_the_dead_stay_in_the_totals)
{
    const struct arena_room room = { CHUNK_BYTES, ARENA_DICTIONARY_BYTES, GROUP_TABLE_BYTES };
    const struct group_identity identity = { .kind = "tenant", .name = "blue" };
    struct group_record *record;
    struct arena arena;
    struct child *child = add_child(10, "/usr/bin/server");

    clock_initialize();
    ck_assert_int_eq(arena_create_leased(&room, NULL, LEASE_OWNER_NOBODY, &arena), 0);
    ck_assert_int_eq(group_table_add(&arena, &identity, &record), 0);
    group_record_commit(record, &(struct group_costs){ .cpu_ns = UINT64_C(7000000000) });
    child->arena_fd = dup(arena.fd);
    arena_destroy(&arena);
    end_child(child, VERDICT_EXITED, 0);
    child_table_remove(&table, child);
    expect_line(fetch_page(), "kind=\"tenant\",name=\"blue\"} 7.000000000\n");
}
END_TEST

START_TEST(an_end_is_counted_once_somebody_has_told_how)
{
    end_child(add_child(10, "/bin/a"), VERDICT_VANISHED, 0);
    metrics_note_told_end(&metrics, 10, SIGKILL);
    metrics_note_told_end(&metrics, 10, SIGKILL);
    struct child *child = add_child(11, "/bin/b");
    end_child(child, VERDICT_VANISHED, 0);
    child->verdict = VERDICT_EXITED;
    metrics_note_verdict(&metrics, child);
    const char *text = fetch_page();
    expect_line(text, "{program=\"a\",verdict=\"killed\"} 1\n");
    expect_line(text, "{program=\"b\",verdict=\"exited\"} 1\n");
}
END_TEST

static void on_ended(void *owner)
{
    (void)owner;
}

static void on_status(const int *wait_status, void *owner)
{
    (void)wait_status, (void)owner;
}

/* Before Linux 6.15 the kernel does not tell; the process is then one that nobody told of. */
START_TEST(the_kernel_is_asked_how_a_process_ended_whose_watch_is_no_more)
{
    static const struct child_watch_events watch_events = { on_ended, on_status };
    pid_t pid = fork();
    int wait_status;

    ck_assert_int_ge(pid, 0);
    if (pid == 0)
        _exit(5);
    int pidfd = pidfd_of_process(pid);
    ck_assert_int_ge(pidfd, 0);
    struct child *child = add_child(pid, "/bin/c");
    ck_assert_int_eq(child_watch_start(&loop, dup(pidfd), &watch_events, child, &child->watch), 0);
    end_child(child, VERDICT_VANISHED, 0);
    child_watch_stop(child->watch);
    child_table_remove(&table, child);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    if (pidfd_wait_status(pidfd, &wait_status) == 0)
        expect_line(fetch_page(), "{program=\"c\",verdict=\"failed\"} 1\n");
    close(pidfd);
}
END_TEST

START_TEST(nothing_is_counted_that_nobody_serves)
{
    metrics_close(&metrics);
    end_child(add_child(10, "/bin/a"), VERDICT_EXITED, 0);
    metrics_note_told_end(&metrics, 10, 0);
    metrics_note_verdict(&metrics, table.first);
    ck_assert_uint_eq(asked, 0);
}
END_TEST

START_TEST(an_address_that_is_taken_is_an_error_and_can_be_closed)
{
    struct metrics other = { 0 };

    metrics_init(&other, &table, &events, &asked);
    ck_assert_int_lt(metrics_open(&other, &loop, &address, "there"), 0);
    metrics_close(&other);
    expect_line(fetch_page(), " 200 "); /* the first serves on */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.metrics");
    TCase *pages = tcase_create("pages");
    tcase_add_checked_fixture(pages, set_up, tear_down);
    tcase_add_test(pages, a_page_has_processes_and_what_profd_says_of_itself);
    tcase_add_test(pages, groups_of_the_dead_stay_in_the_totals);
    tcase_add_test(pages, an_end_is_counted_once_somebody_has_told_how);
    tcase_add_test(pages, the_kernel_is_asked_how_a_process_ended_whose_watch_is_no_more);
    tcase_add_test(pages, nothing_is_counted_that_nobody_serves);
    tcase_add_test(pages, an_address_that_is_taken_is_an_error_and_can_be_closed);
    suite_add_tcase(suite, pages);
    return run_suite(suite);
}
