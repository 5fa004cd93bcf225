/* child-agent.allocation_pace: how samples are spread in time, and that sums stay right. */
#include <check.h>

#include "child-agent/allocations/allocation_draw.h"
#include "child-agent/threads/allocation_pace.h"
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
        allocation_pace_note(&pace, now_ns);
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
    take_samples(1, 1000); /* from when on, nobody knows */
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

START_TEST(a_thread_that_is_a_little_slower_keeps_its_interval)
{
    take_samples(1 + 3 * ALLOCATION_PACE_TURN, 1000);
    expect_doublings(3);
    take_samples(10 * ALLOCATION_PACE_TURN, 2 * ALLOCATION_PACE_LEAST_NS);
    expect_doublings(3);
    take_samples(ALLOCATION_PACE_TURN, 4 * ALLOCATION_PACE_LEAST_NS);
    expect_doublings(2);
}
END_TEST

/* What it allocates from there on is not seen as coarsely as before. */
START_TEST(a_thread_that_calms_down_has_its_interval_again_at_once)
{
    take_samples(1 + 100 * ALLOCATION_PACE_TURN, 1000);
    expect_doublings(ALLOCATION_PACE_MOST_DOUBLINGS);
    take_samples(1, 3 * ALLOCATION_PACE_CALM_NS);
    expect_doublings(ALLOCATION_PACE_MOST_DOUBLINGS - 2);
    take_samples(1, 1000 * ALLOCATION_PACE_CALM_NS);
    expect_doublings(0);
}
END_TEST

START_TEST(a_time_that_cannot_be_read_changes_nothing)
{
    take_samples(1 + ALLOCATION_PACE_TURN, 1000);
    expect_doublings(1);
    allocation_pace_note(&pace, 0);
    expect_doublings(1);
    allocation_pace_note(&pace, now_ns + 1); /* since when is not known, either */
    expect_doublings(1);
}
END_TEST

/* Small allocations in bursts: their samples stand for what was allocated. */
START_TEST(sums_stay_right_while_the_pace_changes)
{
    enum { ALLOCATIONS = 4000000, BURST = 100000, BYTES = 64 };
    uint64_t random = 3;
    double sums[2] = { 0, 0 };
    unsigned most = 0;
    int64_t left = allocation_draw_distance(&random, INTERVAL_BYTES);
    for (int i = 0; i < ALLOCATIONS; i++) {
        int is_slow = i / BURST % 2;
        now_ns += is_slow ? 20000 : 10;
        left -= BYTES;
        if (left > 0)
            continue;
        uint64_t interval = allocation_pace_interval(&pace, INTERVAL_BYTES);
        sums[is_slow] += (double)allocation_weight(BYTES, interval);
        allocation_pace_note(&pace, now_ns);
        if (pace.doublings > most)
            most = pace.doublings;
        left = allocation_draw_distance(&random, allocation_pace_interval(&pace, INTERVAL_BYTES));
    }
    ck_assert_uint_eq(most, ALLOCATION_PACE_MOST_DOUBLINGS);
    for (int is_slow = 0; is_slow < 2; is_slow++)
        ck_assert_double_eq_tol(sums[is_slow] / (ALLOCATIONS / 2.0 * BYTES), 1, 0.06);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.allocation_pace");
    TCase *tcase = tcase_create("pace");
    tcase_add_checked_fixture(tcase, set_up, NULL);
    tcase_add_test(tcase, rare_samples_keep_the_interval);
    tcase_add_test(tcase, each_fast_turn_doubles_the_interval);
    tcase_add_test(tcase, a_thread_that_is_a_little_slower_keeps_its_interval);
    tcase_add_test(tcase, a_thread_that_calms_down_has_its_interval_again_at_once);
    tcase_add_test(tcase, a_time_that_cannot_be_read_changes_nothing);
    tcase_add_test(tcase, sums_stay_right_while_the_pace_changes);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
