#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/children/pidfd.h"
#include "daemon/metrics/process_counts.h"
#include "json/gecko/gecko_process.h"
#include "tests/unit/run_suite.h"

enum { END_NS = 1000 };

static struct process_counts counts;

static void set_up(void)
{
    ck_assert_int_eq(process_counts_init(&counts), 0);
}

static void tear_down(void)
{
    process_counts_fini(&counts);
}

/* A process that began at 100 has ended. */
static void wait_for(pid_t pid, int pidfd)
{
    const struct ended_process process = { pid, 100, END_NS, pidfd };
    process_counts_await_end(&counts, "server", &process);
}

static uint64_t count_of_ends(uint32_t program, enum process_end end)
{
    return process_counts_get(&counts, program)->ended[end];
}

START_TEST(those_that_live_are_counted_at_each_look)
{
    process_counts_begin_look(&counts);
    process_counts_add_living(&counts, "server");
    process_counts_add_living(&counts, "server");
    ck_assert_uint_eq(process_counts_get(&counts, 1)->living, 2);
    process_counts_begin_look(&counts);
    process_counts_add_living(&counts, "server");
    ck_assert_uint_eq(process_counts_get(&counts, 1)->living, 1);
}
END_TEST

START_TEST(a_status_is_an_end)
{
    ck_assert_int_eq(process_end_of(VERDICT_EXITED, 0), PROCESS_END_EXITED);
    ck_assert_int_eq(process_end_of(VERDICT_EXITED, 3), PROCESS_END_FAILED);
    ck_assert_int_eq(process_end_of(VERDICT_KILLED, 9), PROCESS_END_KILLED);
    ck_assert_int_eq(process_end_of(VERDICT_EXECED, 0), PROCESS_END_EXECED);
    ck_assert_int_eq(process_end_of(VERDICT_VANISHED, 0), PROCESS_END_VANISHED);
    ck_assert_str_eq(process_end_name(PROCESS_END_FAILED), "failed");
}
END_TEST

START_TEST(an_end_that_is_told_later_is_counted_once)
{
    wait_for(7, -1);
    process_counts_note_end(&counts, 7, 99, PROCESS_END_KILLED); /* another one */
    ck_assert_uint_eq(count_of_ends(1, PROCESS_END_KILLED), 0);
    process_counts_note_end(&counts, 7, 100, PROCESS_END_KILLED);
    process_counts_note_end(&counts, 7, 100, PROCESS_END_KILLED);
    ck_assert_uint_eq(count_of_ends(1, PROCESS_END_KILLED), 1);
}
END_TEST

/* Its descriptor tells only when it has been reaped. */
START_TEST(an_end_is_learnt_from_the_kernel)
{
    int wait_status;
    pid_t pid = fork();
    if (pid == 0)
        _exit(3);
    int pidfd = pidfd_of_process(pid);
    ck_assert_int_ge(pidfd, 0);
    int again = fcntl(pidfd, F_DUPFD_CLOEXEC, 0);
    wait_for(pid, pidfd);
    process_counts_learn(&counts, END_NS);
    ck_assert_uint_eq(count_of_ends(1, PROCESS_END_FAILED), 0);
    ck_assert_int_eq(waitpid(pid, &wait_status, 0), pid);
    process_counts_learn(&counts, END_NS);
    bool is_known = pidfd_wait_status(again, &wait_status) == 0; /* this kernel tells */
    close(again);
    ck_assert_uint_eq(count_of_ends(1, PROCESS_END_FAILED), is_known ? 1 : 0);
}
END_TEST

START_TEST(an_end_that_nobody_tells_is_vanished_after_a_while)
{
    wait_for(7, -1);
    wait_for(8, -1);
    process_counts_learn(&counts, END_NS + PROCESS_COUNTS_PATIENCE_NS);
    ck_assert_uint_eq(count_of_ends(1, PROCESS_END_VANISHED), 0);
    process_counts_note_end(&counts, 8, 0, PROCESS_END_EXITED);
    process_counts_learn(&counts, END_NS + PROCESS_COUNTS_PATIENCE_NS + 1);
    ck_assert_uint_eq(count_of_ends(1, PROCESS_END_VANISHED), 1);
    ck_assert_uint_eq(count_of_ends(1, PROCESS_END_EXITED), 1);
}
END_TEST

START_TEST(who_waited_longest_gives_way)
{
    for (pid_t pid = 1; pid <= PROCESS_COUNTS_MOST_WAITING + 2; pid++)
        wait_for(pid, -1);
    ck_assert_uint_eq(count_of_ends(1, PROCESS_END_VANISHED), 2);
    process_counts_note_end(&counts, 1, 100, PROCESS_END_EXITED);
    process_counts_note_end(&counts, 3, 100, PROCESS_END_EXITED);
    ck_assert_uint_eq(count_of_ends(1, PROCESS_END_EXITED), 1);
}
END_TEST

START_TEST(too_many_programs_are_other)
{
    char name[32];
    for (unsigned i = 0; i < PROCESS_COUNTS_MOST_PROGRAMS + 5; i++) {
        snprintf(name, sizeof(name), "program %u", i);
        process_counts_add_end(&counts, name, PROCESS_END_EXITED);
    }
    ck_assert_uint_eq(count_of_ends(LABEL_SETS_OTHER, PROCESS_END_EXITED), 5);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.process_counts");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, those_that_live_are_counted_at_each_look);
    tcase_add_test(all, a_status_is_an_end);
    tcase_add_test(all, an_end_that_is_told_later_is_counted_once);
    tcase_add_test(all, an_end_is_learnt_from_the_kernel);
    tcase_add_test(all, an_end_that_nobody_tells_is_vanished_after_a_while);
    tcase_add_test(all, who_waited_longest_gives_way);
    tcase_add_test(all, too_many_programs_are_other);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
