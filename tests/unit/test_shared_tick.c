#include <check.h>
#include <stdint.h>
#include <uv.h>

#include "daemon/shared_tick.h"
#include "tests/unit/run_suite.h"

enum { PERIOD_MS = 100 };

static uv_loop_t loop;
static uv_timer_t first, second;
static uint64_t first_ms, second_ms; /* on the loop's clock, when they expired */

static void make_timers(void)
{
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(uv_timer_init(&loop, &first), 0);
    ck_assert_int_eq(uv_timer_init(&loop, &second), 0);
    first_ms = second_ms = 0;
}

static void close_timers(void)
{
    uv_close((uv_handle_t *)&first, NULL);
    uv_close((uv_handle_t *)&second, NULL);
    ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

static void on_first(uv_timer_t *timer)
{
    first_ms = uv_now(timer->loop);
}

static void on_second(uv_timer_t *timer)
{
    second_ms = uv_now(timer->loop);
}

START_TEST(a_timer_is_due_at_the_next_multiple_of_its_period)
{
    for (uint64_t period_ms = 1; period_ms < 1000; period_ms += 37) {
        ck_assert_int_eq(shared_tick_start(&first, on_first, period_ms), 0);
        uint64_t due_in_ms = uv_timer_get_due_in(&first);
        ck_assert_uint_gt(due_in_ms, 0);
        ck_assert_uint_le(due_in_ms, period_ms);
        ck_assert_uint_eq((uv_now(&loop) + due_in_ms) % period_ms, 0);
    }
}
END_TEST

/* The loop's clock stands still but for uv_update_time(), which the test calls once, at the start
 * of a period: so there is time for both. */
START_TEST(timers_that_started_apart_expire_in_one_turn_of_the_loop)
{
    do
        uv_update_time(&loop);
    while (uv_now(&loop) % PERIOD_MS != 0);
    ck_assert_int_eq(shared_tick_start(&first, on_first, PERIOD_MS), 0);
    uint64_t due_ms = uv_now(&loop) + PERIOD_MS;
    do
        uv_update_time(&loop);
    while (uv_now(&loop) % PERIOD_MS == 0);
    if (uv_now(&loop) >= due_ms)
        return; /* a machine on which a millisecond takes that long cannot tell */
    ck_assert_int_eq(shared_tick_start(&second, on_second, PERIOD_MS), 0);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_uint_ge(first_ms, due_ms);
    ck_assert_uint_eq(first_ms, second_ms);
}
END_TEST

START_TEST(one_that_is_closing_is_refused)
{
    uv_timer_t closing;
    ck_assert_int_eq(uv_timer_init(&loop, &closing), 0);
    uv_close((uv_handle_t *)&closing, NULL);
    ck_assert_int_eq(shared_tick_start(&closing, on_first, PERIOD_MS), UV_EINVAL);
    ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.shared_tick");
    TCase *timers = tcase_create("timers");
    tcase_add_checked_fixture(timers, make_timers, close_timers);
    tcase_add_test(timers, a_timer_is_due_at_the_next_multiple_of_its_period);
    tcase_add_test(timers, timers_that_started_apart_expire_in_one_turn_of_the_loop);
    tcase_add_test(timers, one_that_is_closing_is_refused);
    suite_add_tcase(suite, timers);
    return run_suite(suite);
}
