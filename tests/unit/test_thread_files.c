/* profctl.commands.thread_files: names of files for threads. */
#include <check.h>
#include <string.h>
#include <time.h>

#include "profctl/commands/thread_files.h"
#include "tests/unit/run_suite.h"

static struct thread_files files;

static void set_up(void)
{
    thread_files_init(&files, "out.cpuprofile.gz", ".cpuprofile");
}

static void tear_down(void)
{
    thread_files_fini(&files);
}

static void check_next(double pid, double tid, const char *expected)
{
    const struct profile_thread thread = { .pid = pid, .tid = tid };
    const char *name;
    ck_assert_int_eq(thread_files_name(&files, &thread, &name), 0);
    ck_assert_str_eq(name, expected);
}

START_TEST(threads_of_the_same_numbers_have_names_of_their_own)
{
    check_next(7, 8, "out-7-8.cpuprofile.gz");
    check_next(7, 9, "out-7-9.cpuprofile.gz");
    check_next(7, 8, "out-7-8-2.cpuprofile.gz");
    check_next(-1, -1, "out-0-0.cpuprofile.gz");
    check_next(0, -1, "out-0-0-2.cpuprofile.gz");
    ck_assert_str_eq(files.first, "out-7-8.cpuprofile.gz");
}
END_TEST

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

START_TEST(many_threads_without_numbers_take_no_longer_each)
{
    const struct profile_thread thread = { .pid = -1, .tid = -1 };
    const char *name = "";
    double before_s = cpu_s();
    for (unsigned i = 0; i < 20000; i++)
        ck_assert_int_eq(thread_files_name(&files, &thread, &name), 0);
    ck_assert_double_lt(cpu_s() - before_s, 2);
    ck_assert_str_eq(name, "out-0-0-20000.cpuprofile.gz");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.commands.thread_files");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, threads_of_the_same_numbers_have_names_of_their_own);
    tcase_add_test(all, many_threads_without_numbers_take_no_longer_each);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
