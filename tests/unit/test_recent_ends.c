#include <check.h>
#include <string.h>

#include "daemon/census/recent_ends.h"
#include "tests/unit/run_suite.h"

static struct recent_ends ends;

static void set_up(void)
{
    memset(&ends, 0, sizeof(ends));
}

START_TEST(an_end_is_told_of_once)
{
    recent_ends_put(&ends, 42, 1000);
    ck_assert(recent_ends_take(&ends, 42, 2000));
    ck_assert(!recent_ends_take(&ends, 42, 2000));
}
END_TEST

START_TEST(the_end_of_somebody_else_is_news)
{
    recent_ends_put(&ends, 42, 1000);
    ck_assert(!recent_ends_take(&ends, 43, 2000));
    ck_assert(!recent_ends_take(&ends, 42 + RECENT_ENDS, 2000));
}
END_TEST

START_TEST(a_pid_is_used_again)
{
    recent_ends_put(&ends, 42, 1000);
    ck_assert(!recent_ends_take(&ends, 42, 1000 + RECENT_END_NS + 1));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.recent_ends");
    TCase *tests = tcase_create("ends");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, an_end_is_told_of_once);
    tcase_add_test(tests, the_end_of_somebody_else_is_news);
    tcase_add_test(tests, a_pid_is_used_again);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
