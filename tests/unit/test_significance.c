#include <check.h>

#include "profctl/report/significance.h"
#include "tests/unit/run_suite.h"

START_TEST(rates_are_a_binomial_test)
{
    ck_assert_double_eq_tol(significance_of_rates(0, 10, 0.5), 2 / 1024.0, 1e-12);
    ck_assert_double_eq_tol(significance_of_rates(10, 0, 0.5), 2 / 1024.0, 1e-12);
    /* 1 and 9 of 10: (1 + 10) / 1024 on either side */
    ck_assert_double_eq_tol(significance_of_rates(9, 1, 0.5), 22 / 1024.0, 1e-12);
    /* 0.8^4, of 4 that should be 0.8, is no rare thing; none of them is: 0.2^4 */
    ck_assert_double_eq_tol(significance_of_rates(4, 0, 0.8), 2 * 0.4096, 1e-12);
    ck_assert_double_eq_tol(significance_of_rates(0, 4, 0.8), 2 * 0.0016, 1e-12);
}
END_TEST

START_TEST(equal_counts_are_chance)
{
    ck_assert_double_eq(significance_of_rates(0, 0, 0.5), 1);
    ck_assert_double_eq(significance_of_rates(500, 500, 0.5), 1);
    ck_assert_double_eq(significance_of_rates(100, 400, 0.2), 1);
    ck_assert_double_eq(significance_of_shares(50, 100, 500, 1000), 1);
    ck_assert_double_eq(significance_of_shares(7, 7, 9, 9), 1);
    ck_assert_double_eq(significance_of_shares(0, 0, 5, 9), 1);
}
END_TEST

/* As the normal distribution has it: 10,000 and 10,000 + z * sqrt(20,000). */
START_TEST(large_counts_are_nearly_normal)
{
    ck_assert_double_eq_tol(significance_of_rates(9861, 10139, 0.5), 0.0496, 0.002);
    ck_assert_double_eq_tol(significance_of_rates(9818, 10182, 0.5), 0.0102, 0.001);
    ck_assert_double_lt(significance_of_rates(1000000, 1100000, 0.5), 1e-100);
    ck_assert_double_gt(significance_of_rates(100000000, 100010000, 0.5), 0.4);
}
END_TEST

START_TEST(shares_are_fishers_test)
{
    /* The lady who tastes tea: 3 of 4 right is (16 + 1) / 70 on one side. */
    ck_assert_double_eq_tol(significance_of_shares(3, 4, 1, 4), 34 / 70.0, 1e-12);
    ck_assert_double_eq_tol(significance_of_shares(1, 4, 3, 4), 34 / 70.0, 1e-12);
    ck_assert_double_eq_tol(significance_of_shares(4, 4, 0, 4), 2 / 70.0, 1e-12);
    ck_assert_double_lt(significance_of_shares(500, 1000, 600, 1000), 1e-4);
    ck_assert_double_gt(significance_of_shares(500, 1000, 510, 1000), 0.5);
}
END_TEST

START_TEST(many_are_corrected_by_holms_method)
{
    double probabilities[] = { 0.04, 0.001, 0.9, 0.02 };
    ck_assert_int_eq(significance_correct(probabilities, 4), 0);
    ck_assert_double_eq_tol(probabilities[1], 0.004, 1e-12);
    ck_assert_double_eq_tol(probabilities[3], 0.06, 1e-12);
    ck_assert_double_eq_tol(probabilities[0], 0.08, 1e-12);
    ck_assert_double_eq_tol(probabilities[2], 0.9, 1e-12);
    double alike[] = { 0.5, 0.5, 0.6 };
    ck_assert_int_eq(significance_correct(alike, 3), 0);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq(alike[i], 1);
    ck_assert_int_eq(significance_correct(NULL, 0), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.significance");
    TCase *all = tcase_create("all");
    tcase_add_test(all, rates_are_a_binomial_test);
    tcase_add_test(all, equal_counts_are_chance);
    tcase_add_test(all, large_counts_are_nearly_normal);
    tcase_add_test(all, shares_are_fishers_test);
    tcase_add_test(all, many_are_corrected_by_holms_method);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
