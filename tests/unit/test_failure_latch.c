/* json.failure_latch */
#include <check.h>
#include <errno.h>

#include "json/failure_latch.h"
#include "tests/unit/run_suite.h"

START_TEST(a_new_latch_has_not_failed)
{
    struct failure_latch latch;
    failure_latch_init(&latch);
    ck_assert(!failure_latch_failed(&latch));
    ck_assert_int_eq(failure_latch_error(&latch), 0);
}
END_TEST

START_TEST(the_first_error_wins)
{
    struct failure_latch latch;
    failure_latch_init(&latch);
    ck_assert_int_eq(failure_latch_set(&latch, -ENOMEM), -ENOMEM);
    ck_assert_int_eq(failure_latch_set(&latch, -EPIPE), -ENOMEM);
    ck_assert_int_eq(failure_latch_error(&latch), -ENOMEM);
}
END_TEST

START_TEST(no_error_changes_nothing)
{
    struct failure_latch latch;
    failure_latch_init(&latch);
    ck_assert_int_eq(failure_latch_set(&latch, 0), 0);
    ck_assert(!failure_latch_failed(&latch));
    failure_latch_set(&latch, -EIO);
    ck_assert_int_eq(failure_latch_set(&latch, 0), -EIO);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json.failure_latch");
    TCase *latch = tcase_create("latch");
    tcase_add_test(latch, a_new_latch_has_not_failed);
    tcase_add_test(latch, the_first_error_wins);
    tcase_add_test(latch, no_error_changes_nothing);
    suite_add_tcase(suite, latch);
    return run_suite(suite);
}
