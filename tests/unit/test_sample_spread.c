/* How much CPU time each sample stands for. */
#include <check.h>
#include <stdlib.h>

#include "profctl/profile/sample_spread.h"
#include "tests/unit/run_suite.h"

#define MS 1e6

static struct sample_spread spread;
static double said_ns, not_sampled_ns;

static void begin_spread(double tick_ms)
{
    sample_spread_begin(&spread, tick_ms * MS);
    said_ns = 0;
}

static void add_sample(double time_ms, double cpu_ms, uint32_t stack)
{
    const struct spread_sample sample = { time_ms * MS, cpu_ms * MS, stack };

    ck_assert_int_eq(sample_spread_add(&spread, &sample), 0);
    said_ns += sample.cpu_ns;
}

/* Nothing is lost, whatever the samples say. */
static void weigh_samples(void)
{
    not_sampled_ns = sample_spread_weigh(&spread);
    double sum_ns = not_sampled_ns;
    const struct spread_sample *samples = spread.samples.items;

    for (size_t i = 0; i < spread.samples.count; i++) {
        ck_assert_double_ge(samples[i].cpu_ns, 0);
        sum_ns += samples[i].cpu_ns;
    }
    ck_assert_double_eq_tol(sum_ns, said_ns, 1 + said_ns / 1e9);
}

static double weight_ms(size_t i)
{
    ck_assert_uint_lt(i, spread.samples.count);
    return ((const struct spread_sample *)spread.samples.items)[i].cpu_ns / MS;
}

static void has_weight(size_t i, double ms)
{
    ck_assert_double_eq_tol(weight_ms(i), ms, 1e-6);
}

static void free_spread(void)
{
    sample_spread_free(&spread);
}

START_TEST(a_sample_of_a_tick_stands_for_it)
{
    begin_spread(4);
    add_sample(10, 4, 0);
    add_sample(14, 3.5, 1);
    add_sample(18, 0, 1);
    weigh_samples();
    has_weight(0, 4);
    has_weight(1, 3.5);
    has_weight(2, 0);
    ck_assert_double_eq(not_sampled_ns, 0);
}
END_TEST

/* 90 ms on one frame: it was seen there for one tick. */
START_TEST(what_is_more_than_a_tick_is_the_whole_second_s)
{
    begin_spread(4);
    add_sample(100, 4, 0);
    add_sample(104, 4, 1);
    add_sample(194, 90, 2);
    add_sample(198, 2, 0);
    weigh_samples();
    has_weight(0, 4 * 100 / 14.0);
    has_weight(1, 4 * 100 / 14.0);
    has_weight(2, 4 * 100 / 14.0);
    has_weight(3, 2 * 100 / 14.0);
    ck_assert_double_eq(not_sampled_ns, 0);
}
END_TEST

START_TEST(a_process_own_clock_is_its_tick)
{
    ck_assert_double_eq(sample_spread_tick_ns(1 * MS, 20 * MS), 1 * MS);
    ck_assert_double_eq(sample_spread_tick_ns(10 * MS, 1 * MS), 10 * MS);
}
END_TEST

START_TEST(else_the_tick_is_the_kernel_s_or_what_was_asked_for)
{
    ck_assert_double_eq(sample_spread_tick_ns(0, 1 * MS), SAMPLE_SPREAD_KERNEL_TICK_NS);
    ck_assert_double_eq(sample_spread_tick_ns(0, 0), SAMPLE_SPREAD_KERNEL_TICK_NS);
    ck_assert_double_eq(sample_spread_tick_ns(0, 20 * MS), 20 * MS);
}
END_TEST

START_TEST(a_sample_of_a_long_tick_stands_for_it)
{
    begin_spread(20);
    add_sample(100, 4, 0);
    add_sample(200, 20, 1);
    weigh_samples();
    has_weight(0, 4);
    has_weight(1, 20);
}
END_TEST

/* Signals blocked for three seconds. */
START_TEST(seconds_without_a_sample_are_not_sampled)
{
    begin_spread(4);
    add_sample(500, 4, 0);
    add_sample(3500, 3004, 1);
    weigh_samples();
    has_weight(0, 4 + 500);
    has_weight(1, 4 + 500);
    ck_assert_double_eq_tol(not_sampled_ns / MS, 2000, 1e-6);
}
END_TEST

/* It slept most of the time, and what it used fits in behind the sleep. */
START_TEST(what_was_used_late_is_not_taken_for_earlier)
{
    begin_spread(4);
    add_sample(500, 4, 0);
    add_sample(3500, 104, 1);
    weigh_samples();
    has_weight(0, 4);
    has_weight(1, 104);
    ck_assert_double_eq(not_sampled_ns, 0);
}
END_TEST

START_TEST(before_the_first_sample_only_its_second_is_known)
{
    begin_spread(4);
    add_sample(2250, 1000, 0);
    weigh_samples();
    has_weight(0, 4 + 250);
    ck_assert_double_eq_tol(not_sampled_ns / MS, 746, 1e-6);
}
END_TEST

START_TEST(who_used_nothing_takes_nothing)
{
    begin_spread(4);
    add_sample(500, 0, 0);
    add_sample(1500, 904, 1);
    weigh_samples();
    has_weight(0, 0);
    has_weight(1, 504);
    ck_assert_double_eq_tol(not_sampled_ns / MS, 400, 1e-6);
}
END_TEST

/* A thread that was seen to wait a moment before its own clock interrupted it. */
START_TEST(looks_say_nothing_of_what_was_used_before)
{
    begin_spread(1);
    add_sample(100, 1, 0);
    add_sample(103, 0, 1);
    add_sample(104, 4, 2);
    add_sample(105, 0, 1);
    weigh_samples();
    has_weight(0, 2.5);
    has_weight(1, 0);
    has_weight(2, 2.5);
    ck_assert_double_eq(not_sampled_ns, 0);
}
END_TEST

START_TEST(time_without_a_stack_is_not_sampled)
{
    begin_spread(4);
    add_sample(10, 4, 0);
    add_sample(14, 3, SAMPLE_SPREAD_NO_STACK);
    weigh_samples();
    has_weight(0, 4);
    has_weight(1, 0);
    ck_assert_double_eq(not_sampled_ns, 3 * MS);
}
END_TEST

/* Less than a ns is nothing that others could be spread by. */
START_TEST(next_to_nothing_takes_nothing)
{
    begin_spread(4);
    add_sample(500, 1e-305, 0);
    add_sample(1500, 904, 1);
    weigh_samples();
    ck_assert_double_eq_tol(weight_ms(0), 0, 1e-6);
    has_weight(1, 504);
    ck_assert_double_eq_tol(not_sampled_ns / MS, 400, 1e-6);
}
END_TEST

START_TEST(clocks_that_jump_lose_nothing)
{
    begin_spread(4);
    add_sample(10, 1e9, 0);
    add_sample(14, 1e9, 1);
    add_sample(1014, 1e9, 1);
    add_sample(5, 1e6, 2); /* and times that go back */
    add_sample(-3000, 1e6, 2);
    add_sample(-3000, 1e6, SAMPLE_SPREAD_NO_STACK);
    weigh_samples();
}
END_TEST

START_TEST(no_samples_are_no_time)
{
    begin_spread(4);
    weigh_samples();
    ck_assert_double_eq(not_sampled_ns, 0);
}
END_TEST

START_TEST(any_samples_add_up)
{
    srandom((unsigned)_i);
    double time_ms = 0;
    begin_spread(_i % 2 == 0 ? 4 : 10);
    for (int i = 0; i < 2000; i++) {
        double passed_ms = (double)(random() % (random() % 16 == 0 ? 5000 : 20));
        time_ms += passed_ms;
        add_sample(time_ms, passed_ms * (double)(random() % 4) / 2,
                   random() % 20 == 0 ? SAMPLE_SPREAD_NO_STACK : 0);
    }
    weigh_samples();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.sample_spread");
    TCase *tests = tcase_create("spread");

    tcase_add_checked_fixture(tests, NULL, free_spread);
    tcase_add_test(tests, a_sample_of_a_tick_stands_for_it);
    tcase_add_test(tests, what_is_more_than_a_tick_is_the_whole_second_s);
    tcase_add_test(tests, a_process_own_clock_is_its_tick);
    tcase_add_test(tests, else_the_tick_is_the_kernel_s_or_what_was_asked_for);
    tcase_add_test(tests, a_sample_of_a_long_tick_stands_for_it);
    tcase_add_test(tests, seconds_without_a_sample_are_not_sampled);
    tcase_add_test(tests, what_was_used_late_is_not_taken_for_earlier);
    tcase_add_test(tests, before_the_first_sample_only_its_second_is_known);
    tcase_add_test(tests, who_used_nothing_takes_nothing);
    tcase_add_test(tests, looks_say_nothing_of_what_was_used_before);
    tcase_add_test(tests, time_without_a_stack_is_not_sampled);
    tcase_add_test(tests, next_to_nothing_takes_nothing);
    tcase_add_test(tests, clocks_that_jump_lose_nothing);
    tcase_add_test(tests, no_samples_are_no_time);
    tcase_add_loop_test(tests, any_samples_add_up, 0, 10);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
