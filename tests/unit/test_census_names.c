/* daemon.census_names */
#include <check.h>
#include <stdlib.h>

#include "daemon/census/census_names.h"
#include "tests/unit/run_suite.h"

static struct census_names names;

static void check_taken(pid_t pid, const char *expect)
{
    char *path = census_names_take(&names, pid);

    if (expect == NULL)
        ck_assert_ptr_null(path);
    else
        ck_assert_str_eq(path, expect);
    free(path);
}

static void clear_names(void)
{
    census_names_clear(&names);
}

START_TEST(a_name_is_that_of_its_process_once)
{
    census_names_put(&names, 10, "/bin/one");
    census_names_put(&names, 11, "/bin/two");
    check_taken(12, NULL);
    check_taken(10, "/bin/one");
    check_taken(10, NULL);
    check_taken(11, "/bin/two");
}
END_TEST

START_TEST(the_last_name_counts)
{
    census_names_put(&names, 10, "/bin/one");
    census_names_put(&names, 10, "/bin/two");
    check_taken(10, "/bin/two");
}
END_TEST

START_TEST(of_two_with_one_place_the_later_stays)
{
    census_names_put(&names, 10, "/bin/one");
    census_names_put(&names, 10 + CENSUS_NAMES, "/bin/two");
    check_taken(10, NULL);
    check_taken(10 + CENSUS_NAMES, "/bin/two");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.census_names");
    TCase *tests = tcase_create("names");
    tcase_add_checked_fixture(tests, NULL, clear_names);
    tcase_add_test(tests, a_name_is_that_of_its_process_once);
    tcase_add_test(tests, the_last_name_counts);
    tcase_add_test(tests, of_two_with_one_place_the_later_stays);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
