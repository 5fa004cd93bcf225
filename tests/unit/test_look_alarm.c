/* child-agent.look_alarm: what ends a wait, and what does not. A wait that nothing ends runs into
 * the limit of the test. */
#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "child-agent/sampler/look_alarm.h"
#include "child-agent/sampler/sampling_signal.h"
#include "tests/unit/run_suite.h"

static _Atomic int waits; /* that have ended */
static _Atomic bool is_over;

static void begin_looking_thread(void)
{
    sigset_t all;
    sigfillset(&all);
    ck_assert_int_eq(pthread_sigmask(SIG_SETMASK, &all, NULL), 0);
    sampling_signal_only_wakes();
}

static void set_up(void)
{
    sampling_signal_initialize(0);
    ck_assert_int_eq(sampling_signal_install(), 0);
    look_alarm_reset();
}

static void *wait_again_and_again(void *unused)
{
    begin_looking_thread();
    while (!atomic_load(&is_over)) {
        ck_assert_int_eq(look_alarm_wait(NULL, 0, LOOK_ALARM_NEVER), 0);
        (void)look_alarm_take();
        atomic_fetch_add(&waits, 1);
    }
    return unused;
}

/* Each of so many rings ends a wait, wherever the thread is at that moment. */
static void expect_wakes(void (*ring)(void))
{
    enum { RINGS = 2000 };
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_again_and_again, NULL), 0);
    for (int i = 0; i < RINGS; i++) {
        int before = atomic_load(&waits);
        ring();
        while (atomic_load(&waits) == before)
            sched_yield();
    }
    atomic_store(&is_over, true);
    look_alarm_wake();
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

START_TEST(a_ring_ends_a_wait)
{
    look_alarm_set(LOOK_ALARM_SET);
    expect_wakes(look_alarm_ring);
}
END_TEST

START_TEST(a_sample_ends_a_rest)
{
    look_alarm_set(LOOK_ALARM_RESTING);
    expect_wakes(look_alarm_ring_if_resting);
}
END_TEST

START_TEST(other_news_end_a_wait)
{
    expect_wakes(look_alarm_wake);
}
END_TEST

START_TEST(what_was_rung_before_ends_the_next_wait)
{
    begin_looking_thread();
    look_alarm_set(LOOK_ALARM_SET);
    look_alarm_ring();
    ck_assert_int_eq(look_alarm_wait(NULL, 0, LOOK_ALARM_NEVER), 0);
    ck_assert(look_alarm_take());
    ck_assert(!look_alarm_take());
    look_alarm_wake();
    ck_assert_int_eq(look_alarm_wait(NULL, 0, LOOK_ALARM_NEVER), 0);
    ck_assert(!look_alarm_take());
}
END_TEST

START_TEST(nobody_rings_what_is_off)
{
    look_alarm_ring();
    look_alarm_ring_if_resting();
    ck_assert(!look_alarm_take());
    look_alarm_set(LOOK_ALARM_SET);
    look_alarm_ring_if_resting();
    ck_assert(!look_alarm_take());
    look_alarm_ring();
    look_alarm_set(LOOK_ALARM_OFF);
    ck_assert(!look_alarm_take());
}
END_TEST

START_TEST(time_ends_a_wait)
{
    begin_looking_thread();
    uint64_t due_ns = clock_monotonic_ns() + 1000000;
    ck_assert_int_eq(look_alarm_wait(NULL, 0, due_ns), 0);
    ck_assert_uint_ge(clock_monotonic_ns(), due_ns);
    ck_assert_int_eq(look_alarm_wait(NULL, 0, 0), 0);
}
END_TEST

START_TEST(a_descriptor_ends_a_wait_and_is_seen_with_the_alarm)
{
    int pipe_fds[2];
    begin_looking_thread();
    look_alarm_set(LOOK_ALARM_SET);
    ck_assert_int_eq(pipe(pipe_fds), 0);
    struct pollfd fd = { .fd = pipe_fds[0], .events = POLLIN };
    ck_assert_int_eq(write(pipe_fds[1], "x", 1), 1);
    ck_assert_int_eq(look_alarm_wait(&fd, 1, LOOK_ALARM_NEVER), 1);
    look_alarm_ring();
    ck_assert_int_eq(look_alarm_wait(&fd, 1, LOOK_ALARM_NEVER), 1);
    ck_assert(look_alarm_take());
}
END_TEST

/* Nobody could wake it. */
START_TEST(where_the_signal_is_shared_waits_end_by_themselves)
{
    begin_looking_thread();
    sampling_signal_note_use(SIGURG);
    sampling_signal_note_use(SIGWINCH);
    ck_assert(sampling_signal_is_shared());
    look_alarm_set(LOOK_ALARM_RESTING);
    ck_assert_int_eq(look_alarm_wait(NULL, 0, LOOK_ALARM_NEVER), 0);
    look_alarm_set(LOOK_ALARM_OFF);
    ck_assert_int_eq(look_alarm_wait(NULL, 0, LOOK_ALARM_NEVER), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("look_alarm");
    TCase *waits_case = tcase_create("waits");
    tcase_add_checked_fixture(waits_case, set_up, NULL);
    tcase_add_test(waits_case, a_ring_ends_a_wait);
    tcase_add_test(waits_case, a_sample_ends_a_rest);
    tcase_add_test(waits_case, other_news_end_a_wait);
    tcase_add_test(waits_case, what_was_rung_before_ends_the_next_wait);
    tcase_add_test(waits_case, nobody_rings_what_is_off);
    tcase_add_test(waits_case, time_ends_a_wait);
    tcase_add_test(waits_case, a_descriptor_ends_a_wait_and_is_seen_with_the_alarm);
    tcase_add_test(waits_case, where_the_signal_is_shared_waits_end_by_themselves);
    suite_add_tcase(suite, waits_case);
    return run_suite(suite);
}
