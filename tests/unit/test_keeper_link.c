#include <check.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "daemon/keeping/keeper.h"
#include "daemon/keeping/keeper_link.h"
#include "tests/unit/run_suite.h"

enum { MOST_ENDS = 50 };

static char program[PATH_MAX], folder[64], socket_path[96], pid_path[128];
static uv_loop_t loop;
static struct keeper_link link_to_keeper;
static int replacements;

static void count_replacement(void *context)
{
    (void)context;
    replacements++;
}

static const struct keeper_events events = { count_replacement };

/* --- The keeper: this program, with profd's socket as its argument --- */

static int be_keeper(const char *socket)
{
    char path[PATH_MAX];
    pid_t pid = fork();
    if (pid == 0)
        return keeper_run(KEEPER_PROFD_FD, KEEPER_LISTENING_FD, -1) ? 0 : 3;
    snprintf(path, sizeof(path), "%s.pid", socket);
    FILE *file = fopen(path, "we");
    return file == NULL || fprintf(file, "%d\n", pid) < 0 || fclose(file) != 0;
}

static void kill_keeper(void)
{
    int pid;
    FILE *file = fopen(pid_path, "re");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%d", &pid), 1);
    fclose(file);
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
}

/* --- Its profd --- */

static int open_link(bool is_successor)
{
    const struct keeper_views views = { &loop, program, socket_path, -1 };
    return keeper_link_open(&link_to_keeper, &views, is_successor, &events, NULL);
}

static void set_up(void)
{
    snprintf(folder, sizeof(folder), "/tmp/profd-unit.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(socket_path, sizeof(socket_path), "%s/profd.sock", folder);
    snprintf(pid_path, sizeof(pid_path), "%s.pid", socket_path);
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    replacements = 0;
}

static void tear_down(void)
{
    keeper_link_close(&link_to_keeper);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    (void)unlink(pid_path);
    ck_assert_int_eq(rmdir(folder), 0);
}

/* Of a keeper that was killed, or never there. */
static void remove_socket(void)
{
    char address[128];
    snprintf(address, sizeof(address), "%s" KEEPER_SUFFIX, socket_path);
    ck_assert_int_eq(unlink(address), 0);
}

/* A file with ID in it is kept. */
static int keep(uint8_t id)
{
    int fd = memfd_create("arena", MFD_CLOEXEC);
    ck_assert_int_eq(pwrite(fd, &id, 1, 0), 1);
    int error = keeper_link_keep(&link_to_keeper, id, getppid(), 7, &id, 1, fd);
    close(fd);
    return error;
}

/* A profd that runs DO_WORK and is gone. */
static void run_profd(void (*do_work)(void))
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        if (uv_loop_fork(&loop) != 0 || open_link(false) != 0)
            _exit(1);
        do_work();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}

static char fetched[16]; /* the ids */
static size_t fetched_count;

static void note_arena(const struct keeper_message *message, int fd, void *context)
{
    uint8_t content = 0;
    ck_assert_ptr_eq(context, fetched);
    ck_assert_int_eq(pread(fd, &content, 1, 0), 1);
    ck_assert_uint_eq(content, message->id);
    ck_assert_uint_eq(message->hello_bytes, 1);
    fetched[fetched_count++] = (char)content;
    close(fd);
}

static const char *fetch_all(void)
{
    memset(fetched, 0, sizeof(fetched));
    fetched_count = 0;
    ck_assert_int_eq(keeper_link_fetch(&link_to_keeper, note_arena, fetched), 0);
    return fetched;
}

/* --- Tests --- */

static void keep_three_and_drop_one(void)
{
    if (keep('a') != 0 || keep('b') != 0 || keep('c') != 0)
        _exit(2);
    keeper_link_drop(&link_to_keeper, 'b');
    keeper_link_drop(&link_to_keeper, 'x'); /* which is not kept */
}

START_TEST(the_next_profd_fetches_what_was_kept_once)
{
    run_profd(keep_three_and_drop_one);
    ck_assert_int_eq(open_link(true), 0);
    const char *ids = fetch_all();
    ck_assert_uint_eq(strlen(ids), 2);
    ck_assert_ptr_nonnull(strchr(ids, 'a'));
    ck_assert_ptr_nonnull(strchr(ids, 'c'));
    ck_assert_str_eq(fetch_all(), "");
    ck_assert_int_eq(replacements, 0);
}
END_TEST

static void keep_and_leave(void)
{
    if (keep('a') != 0)
        _exit(2);
    keeper_link_leave(&link_to_keeper, UINT64_MAX);
}

START_TEST(one_that_was_left_waits_for_the_next_profd)
{
    run_profd(keep_and_leave);
    ck_assert_int_eq(open_link(true), 0);
    ck_assert_str_eq(fetch_all(), "a");
}
END_TEST

static void keep_and_close(void)
{
    if (keep('a') != 0)
        _exit(2);
    keeper_link_close(&link_to_keeper);
}

START_TEST(after_a_profd_that_ended_in_good_order_there_is_nothing)
{
    run_profd(keep_and_close);
    ck_assert_int_eq(open_link(true), 0);
    ck_assert_str_eq(fetch_all(), "");
}
END_TEST

START_TEST(one_that_ends_is_replaced_and_given_up_if_it_does_so_again_and_again)
{
    ck_assert_int_eq(open_link(false), 0);
    kill_keeper();
    while (replacements == 0)
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert(keeper_link_is_open(&link_to_keeper));
    ck_assert_int_eq(keep('a'), 0);
    for (int i = 0; i < MOST_ENDS && keeper_link_is_open(&link_to_keeper); i++) {
        int before = replacements;
        kill_keeper();
        while (replacements == before)
            uv_run(&loop, UV_RUN_ONCE);
    }
    ck_assert(!keeper_link_is_open(&link_to_keeper));
    ck_assert_int_eq(keep('a'), -ENOTCONN);
    keeper_link_drop(&link_to_keeper, 'a');
    remove_socket();
}
END_TEST

START_TEST(what_cannot_be_started_is_an_error)
{
    const struct keeper_views none = { &loop, "/nonexistent/profd-keeper", socket_path, -1 };
    char long_path[200];
    memset(long_path, 'x', sizeof(long_path) - 1);
    long_path[sizeof(long_path) - 1] = '\0';
    const struct keeper_views too_long = { &loop, program, long_path, -1 };
    ck_assert_int_eq(keeper_link_open(&link_to_keeper, &too_long, false, &events, NULL),
                     -ENAMETOOLONG);
    ck_assert(!keeper_link_is_open(&link_to_keeper));
    ck_assert_int_lt(keeper_link_open(&link_to_keeper, &none, false, &events, NULL), 0);
    ck_assert(!keeper_link_is_open(&link_to_keeper));
    remove_socket();
}
END_TEST

START_TEST(a_closed_link_takes_everything)
{
    struct keeper_link zeroed = { 0 };
    keeper_link_close(&zeroed);
    ck_assert(!keeper_link_is_open(&zeroed));
    ck_assert_int_eq(open_link(false), 0);
    keeper_link_close(&link_to_keeper);
    keeper_link_close(&link_to_keeper);
    keeper_link_leave(&link_to_keeper, 1);
    ck_assert_int_eq(keep('a'), -ENOTCONN);
    ck_assert_str_eq(fetch_all(), "");
}
END_TEST

int main(int argc, char **argv)
{
    clock_initialize();
    if (argc > 1)
        return be_keeper(argv[1]);
    if (realpath(argv[0], program) == NULL)
        return EXIT_FAILURE;
    Suite *suite = suite_create("daemon.keeping.keeper_link");
    TCase *tests = tcase_create("link");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, the_next_profd_fetches_what_was_kept_once);
    tcase_add_test(tests, one_that_was_left_waits_for_the_next_profd);
    tcase_add_test(tests, after_a_profd_that_ended_in_good_order_there_is_nothing);
    tcase_add_test(tests, one_that_ends_is_replaced_and_given_up_if_it_does_so_again_and_again);
    tcase_add_test(tests, what_cannot_be_started_is_an_error);
    tcase_add_test(tests, a_closed_link_takes_everything);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
