/* common.process_stat, with texts and with this process. */
#include <check.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/process_stat.h"
#include "tests/unit/run_suite.h"

START_TEST(a_name_may_hold_anything)
{
    struct process_stat stat;

    ck_assert(
        process_stat_of_text("47 (a) R 9 (b)) S 12 47 47 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 "
                             "98765 1000",
                             &stat));
    ck_assert_int_eq(stat.pid, 47);
    ck_assert_int_eq(stat.parent_pid, 12);
    ck_assert_int_eq(stat.state, 'S');
    ck_assert_uint_eq(stat.start_ticks, 98765);
}
END_TEST

START_TEST(what_is_cut_short_is_not_valid)
{
    struct process_stat stat;

    ck_assert(!process_stat_of_text("", &stat));
    ck_assert(!process_stat_of_text("47 (a", &stat));
    ck_assert(!process_stat_of_text("47 (a) S 12", &stat));
}
END_TEST

START_TEST(a_process_is_read_until_it_is_gone)
{
    struct process_stat stat;
    siginfo_t info;
    pid_t child = fork();

    if (child == 0)
        _exit(0);
    ck_assert(process_stat_read(getpid(), &stat));
    ck_assert_int_eq(stat.parent_pid, getppid());
    ck_assert_int_eq(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    ck_assert(process_stat_read(child, &stat));
    ck_assert_int_eq(stat.state, 'Z');
    ck_assert_int_eq(stat.parent_pid, getpid());
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    ck_assert(!process_stat_read(child, &stat));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("common.process_stat");
    TCase *all = tcase_create("all");

    tcase_add_test(all, a_name_may_hold_anything);
    tcase_add_test(all, what_is_cut_short_is_not_valid);
    tcase_add_test(all, a_process_is_read_until_it_is_gone);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
