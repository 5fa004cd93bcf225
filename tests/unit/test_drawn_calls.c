/* profctl.report.drawn_calls: durations that are kept for medians. */
#include <check.h>

#include "profctl/report/drawn_calls.h"
#include "tests/unit/run_suite.h"

enum { MOST = 1 << 15 }; /* calls to keep at first, here */

static struct drawn_calls drawn;

static void set_up(void)
{
    drawn = (struct drawn_calls){ .most = MOST };
}

static void tear_down(void)
{
    drawn_calls_free(&drawn);
}

static void add_call(uint32_t function, float duration_ms)
{
    const struct drawn_call call = { function, duration_ms };
    ck_assert_int_eq(drawn_calls_add(&drawn, &call), 0);
}

/* Those of FUNCTION, once all are sorted. */
static const struct drawn_call *find_calls(uint32_t function, size_t *count)
{
    const struct drawn_call *calls = drawn.calls.items;
    size_t first = 0, end;
    while (first < drawn.calls.count && calls[first].function != function)
        first++;
    for (end = first; end < drawn.calls.count && calls[end].function == function;)
        end++;
    *count = end - first;
    return &calls[first];
}

START_TEST(quantiles_are_of_sorted_calls)
{
    struct drawn_call calls[100];
    for (unsigned i = 0; i < 100; i++)
        calls[i] = (struct drawn_call){ 0, (float)i };
    ck_assert_double_eq(drawn_calls_quantile(calls, 100, 0.5), 50);
    ck_assert_double_eq(drawn_calls_quantile(calls, 100, 0.99), 99);
    ck_assert_double_eq(drawn_calls_quantile(calls, 1, 0.99), 0);
    ck_assert_double_eq(drawn_calls_quantile(calls, 0, 0.5), 0);
}
END_TEST

/* Many calls of a function hide none of those that are called seldom. */
START_TEST(calls_of_rare_functions_are_all_kept)
{
    size_t count;
    for (unsigned i = 0; i < DRAWN_CALLS_OF_FUNCTION_MIN / 2; i++)
        add_call(7, (float)i);
    for (unsigned i = 0; i < 3 * MOST; i++)
        add_call(3, 1);
    for (unsigned i = DRAWN_CALLS_OF_FUNCTION_MIN / 2; i < DRAWN_CALLS_OF_FUNCTION_MIN; i++)
        add_call(7, (float)i);
    drawn_calls_sort(&drawn);
    const struct drawn_call *calls = find_calls(7, &count);
    ck_assert_uint_eq(count, DRAWN_CALLS_OF_FUNCTION_MIN);
    for (unsigned i = 0; i < count; i++)
        ck_assert_double_eq((double)calls[i].duration_ms, i);
    find_calls(3, &count);
    ck_assert_uint_ge(count, MOST / 4);
    ck_assert_uint_le(drawn.calls.count, MOST);
}
END_TEST

/* Early calls and late ones are as likely to be kept: the longer they are, the later they came. */
START_TEST(calls_of_frequent_functions_are_drawn_evenly)
{
    const unsigned total = 5 * MOST;
    size_t count;
    for (unsigned i = 0; i < total; i++)
        add_call(i % 3 == 0, (float)i / (float)total);
    drawn_calls_sort(&drawn);
    for (uint32_t function = 0; function < 2; function++) {
        const struct drawn_call *calls = find_calls(function, &count);
        ck_assert_double_eq_tol(drawn_calls_quantile(calls, count, 0.5), 0.5, 0.01);
        ck_assert_double_eq_tol(drawn_calls_quantile(calls, count, 0.99), 0.99, 0.01);
    }
}
END_TEST

START_TEST(more_is_kept_of_many_functions)
{
    const unsigned functions = 3 * MOST / DRAWN_CALLS_OF_FUNCTION_MIN;
    size_t count;
    for (unsigned i = 0; i < DRAWN_CALLS_OF_FUNCTION_MIN; i++) {
        for (unsigned function = 0; function < functions; function++)
            add_call(function, (float)i);
    }
    drawn_calls_sort(&drawn);
    ck_assert_uint_eq(drawn.calls.count, 3 * MOST);
    find_calls(functions - 1, &count);
    ck_assert_uint_eq(count, DRAWN_CALLS_OF_FUNCTION_MIN);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.report.drawn_calls");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, quantiles_are_of_sorted_calls);
    tcase_add_test(all, calls_of_rare_functions_are_all_kept);
    tcase_add_test(all, calls_of_frequent_functions_are_drawn_evenly);
    tcase_add_test(all, more_is_kept_of_many_functions);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
