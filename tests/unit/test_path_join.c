#include <check.h>
#include <errno.h>

#include "common/path_join.h"
#include "tests/unit/run_suite.h"

START_TEST(parts_are_put_behind_each_other)
{
    char out[8] = "before";

    ck_assert_int_eq(path_join(out, sizeof(out), "/run", "/a"), 0);
    ck_assert_str_eq(out, "/run/a");
    ck_assert_int_eq(path_join(out, sizeof(out), "", ""), 0);
    ck_assert_str_eq(out, "");
}
END_TEST

START_TEST(what_has_no_room_is_not_cut)
{
    char out[8] = "before";

    ck_assert_int_eq(path_join(out, sizeof(out), "/run", "/ab"), 0);
    ck_assert_str_eq(out, "/run/ab");
    ck_assert_int_eq(path_join(out, sizeof(out), "/run", "/abc"), -ENAMETOOLONG);
    ck_assert_str_eq(out, "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("path_join");
    TCase *tests = tcase_create("path_join");

    tcase_add_test(tests, parts_are_put_behind_each_other);
    tcase_add_test(tests, what_has_no_room_is_not_cut);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
