/* child-agent.allocation_pace: how samples are spread in time, and that sums stay right. */
#include <check.h>

#include "child-agent/allocations/allocation_draw.h"
#include "child-agent/allocations/allocation_pace.h"
#include "tests/unit/run_suite.h"

#define INTERVAL_BYTES UINT64_C(4096)
#define START_NS       UINT64_C(1000000000)

/* A thread's; set up for each test. */
static struct allocation_pace pace;
static uint64_t now_ns;

static void set_up(void)
{
    pace = (struct allocation_pace){ 0 };
    now_ns = START_NS;
}

/* SAMPLES of them, REST_NS apart. */
static void take_samples(unsigned samples, uint64_t rest_ns)
{
    for (unsigned i = 0; i < samples; i++) {
        now_ns += rest_ns;
        if (allocation_pace_count(&pace))
            allocation_pace_end_turn(&pace, now_ns);
    }
}

static void expect_doublings(unsigned doublings)
{
    ck_assert_uint_eq(allocation_pace_interval(&pace, INTERVAL_BYTES), INTERVAL_BYTES << doublings);
}

START_TEST(rare_samples_keep_the_interval)
{
    take_samples(100 * ALLOCATION_PACE_TURN, ALLOCATION_PACE_LEAST_NS);
    expect_doublings(0);
}
END_TEST

START_TEST(each_fast_turn_doubles_the_interval)
{
    take_samples(ALLOCATION_PACE_TURN, 1000); /* from when on, nobody knows */
    expect_doublings(0);
    take_samples(ALLOCATION_PACE_TURN - 1, 1000);
    expect_doublings(0);
    take_samples(1, 1000);
    expect_doublings(1);
    take_samples(ALLOCATION_PACE_TURN, 1000);
    expect_doublings(2);
    take_samples(100 * ALLOCATION_PACE_TURN, 0);
    expect_doublings(ALLOCATION_PACE_MOST_DOUBLINGS);
}
END_TEST

START_TEST(a_thread_that_calms_down_has_its_interval_again)
{
    take_samples(4 * ALLOCATION_PACE_TURN, 1000);
    expect_doublings(3);
    take_samples(10 * ALLOCATION_PACE_TURN, 2 * ALLOCATION_PACE_LEAST_NS); /* as fast as it may */
    expect_doublings(3);
    take_samples(ALLOCATION_PACE_TURN, 4 * ALLOCATION_PACE_LEAST_NS);
    expect_doublings(2);
    take_samples(100 * ALLOCATION_PACE_TURN, 1000 * ALLOCATION_PACE_LEAST_NS);
    expect_doublings(0);
}
END_TEST

START_TEST(a_time_that_cannot_be_read_changes_nothing)
{
    take_samples(2 * ALLOCATION_PACE_TURN, 1000);
    expect_doublings(1);
    allocation_pace_end_turn(&pace, 0);
    expect_doublings(1);
    allocation_pace_end_turn(&pace, now_ns + 1); /* since when is not known, either */
    expect_doublings(1);
}
END_TEST

/* Small allocations, then fast ones in bursts: their samples stand for what was allocated. */
START_TEST(sums_stay_right_while_the_pace_changes)
{
    enum { ALLOCATIONS = 4000000, BURST = 100000, BYTES = 64 };
    uint64_t random = 3;
    double sum = 0;
    unsigned most = 0;
    int64_t left = allocation_draw_distance(&random, INTERVAL_BYTES);
    for (int i = 0; i < ALLOCATIONS; i++) {
        now_ns += i / BURST % 2 == 0 ? 10 : 20000;
        left -= BYTES;
        if (left > 0)
            continue;
        sum += (double)allocation_weight(BYTES, allocation_pace_interval(&pace, INTERVAL_BYTES));
        if (allocation_pace_count(&pace))
            allocation_pace_end_turn(&pace, now_ns);
        if (pace.doublings > most)
            most = pace.doublings;
        left = allocation_draw_distance(&random, allocation_pace_interval(&pace, INTERVAL_BYTES));
    }
    ck_assert_uint_ge(most, 4);
    ck_assert_double_eq_tol(sum / ((double)ALLOCATIONS * BYTES), 1, 0.05);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.allocation_pace");
    TCase *tcase = tcase_create("pace");
    tcase_add_checked_fixture(tcase, set_up, NULL);
    tcase_add_test(tcase, rare_samples_keep_the_interval);
    tcase_add_test(tcase, each_fast_turn_doubles_the_interval);
    tcase_add_test(tcase, a_thread_that_calms_down_has_its_interval_again);
    tcase_add_test(tcase, a_time_that_cannot_be_read_changes_nothing);
    tcase_add_test(tcase, sums_stay_right_while_the_pace_changes);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
