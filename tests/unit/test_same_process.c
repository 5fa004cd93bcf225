/* A pid is another process' when that one began after the first was seen. */
#include <check.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/time_units.h"
#include "profctl/export/same_process.h"
#include "tests/unit/run_suite.h"

static int64_t now_ns(void)
{
    struct timespec now;

    ck_assert_int_eq(clock_gettime(CLOCK_MONOTONIC, &now), 0);
    return now.tv_sec * (int64_t)NS_PER_S + now.tv_nsec;
}

START_TEST(one_that_was_there_lives)
{
    ck_assert(same_process_lives(getpid(), now_ns()));
    ck_assert(same_process_lives(getppid(), now_ns()));
}
END_TEST

START_TEST(one_that_began_later_is_another)
{
    ck_assert(!same_process_lives(getpid(), now_ns() - 3600 * (int64_t)NS_PER_S));
    ck_assert(!same_process_lives(getpid(), 0));
}
END_TEST

START_TEST(one_that_is_gone_lives_no_more)
{
    int64_t seen_ns = now_ns();
    pid_t child = fork();

    if (child == 0)
        _exit(0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    ck_assert(!same_process_lives(child, seen_ns));
}
END_TEST

START_TEST(what_is_not_known_is_no_process)
{
    ck_assert(!same_process_lives(-1, now_ns()));
    ck_assert(!same_process_lives(getpid(), -1));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.same_process");
    TCase *tests = tcase_create("processes");

    tcase_add_test(tests, one_that_was_there_lives);
    tcase_add_test(tests, one_that_began_later_is_another);
    tcase_add_test(tests, one_that_is_gone_lives_no_more);
    tcase_add_test(tests, what_is_not_known_is_no_process);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
