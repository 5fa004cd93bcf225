#include <check.h>
#include <time.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "child-agent/groups/cpu_meter.h"
#include "child-agent/groups/loop_watch.h"
#include "child-agent/groups/off_processor.h"
#include "tests/unit/run_suite.h"

enum { MS = 1000 * 1000, NAPS = 20, STEPS = 2000 };

static struct cpu_meter meter;
static volatile uint64_t sink;

static uint64_t now_ns(void)
{
    return cpu_meter_read(&meter, clock_ticks());
}

static uint64_t clock_ns(void)
{
    return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void burn_us(uint64_t us)
{
    uint64_t end_ns = clock_ns() + us * 1000;
    while (clock_ns() < end_ns)
        for (int i = 0; i < 100; i++)
            sink += sink * 3 + 1;
}

static void nap_us(long us)
{
    const struct timespec time = { .tv_nsec = us * 1000 };
    nanosleep(&time, NULL);
}

/* The rate is known a millisecond after the first reading. */
static void set_up(void)
{
    clock_initialize();
    (void)now_ns();
    nap_us(2000);
    (void)now_ns();
}

/* On the way it may be ahead by what a virtual machine lost meanwhile. */
START_TEST(it_adds_up_to_the_clock)
{
    uint64_t begin_ns = now_ns(), clock_begin_ns = clock_ns();
    for (int i = 0; i < STEPS; i++) {
        burn_us(i % 50);
        (void)now_ns();
    }
    nap_us(2000);
    uint64_t told_ns = now_ns() - begin_ns, took_ns = clock_ns() - clock_begin_ns;
    ck_assert_uint_le(told_ns, took_ns + took_ns / 100);
    ck_assert_uint_ge(told_ns + took_ns / 100, took_ns);
}
END_TEST

START_TEST(sleep_is_no_cpu_time)
{
    uint64_t begin_ns = now_ns();
    for (int i = 0; i < NAPS; i++) {
        nap_us(5000);
        (void)now_ns();
    }
    ck_assert_uint_lt(now_ns() - begin_ns, NAPS * 5 * (uint64_t)MS / 4);
}
END_TEST

START_TEST(it_never_goes_back)
{
    uint64_t last_ns = now_ns();
    for (int i = 0; i < STEPS; i++) {
        uint64_t told_ns = i % 100 == 0 ? (nap_us(100), now_ns()) : now_ns();
        ck_assert_uint_ge(told_ns, last_ns);
        last_ns = told_ns;
    }
}
END_TEST

START_TEST(the_clock_is_read_where_the_thread_was_away)
{
    if (!off_processor_is_known())
        return;
    uint64_t readings = meter.clock_readings;
    for (int i = 0; i < NAPS; i++) {
        nap_us(100);
        (void)now_ns();
    }
    ck_assert_uint_ge(meter.clock_readings, readings + NAPS);
    readings = meter.clock_readings;
    for (int i = 0; i < STEPS; i++)
        (void)now_ns();
    ck_assert_uint_lt(meter.clock_readings, readings + STEPS / 10);
}
END_TEST

/* What waits took is told with the next reading of the clock. */
START_TEST(guesses_are_made_up_for)
{
    uint64_t begin_ns = now_ns(), clock_begin_ns = clock_ns();
    for (int i = 0; i < STEPS; i++) {
        (void)getppid();
        (void)cpu_meter_resume(&meter, clock_ticks());
    }
    nap_us(2000);
    uint64_t told_ns = now_ns() - begin_ns, took_ns = clock_ns() - clock_begin_ns;
    ck_assert_uint_le(told_ns, took_ns + MS / 10);
    ck_assert_uint_ge(told_ns + MS / 10, took_ns);
}
END_TEST

/* --- Loops --- */

static const char *const here = "here", *const there = "there";

START_TEST(a_loop_is_where_a_thread_comes_back_to)
{
    struct loop_sight sight = { 0 };
    ck_assert(!loop_sight_note(&sight, here));
    ck_assert(!loop_sight_note(&sight, here));
    ck_assert(loop_sight_note(&sight, here));
    ck_assert(loop_sight_note(&sight, here));
}
END_TEST

START_TEST(other_waits_are_no_loop)
{
    struct loop_sight sight = { 0 };
    for (int i = 0; i < 10; i++) {
        ck_assert(!loop_sight_note(&sight, i % 2 == 0 ? here : there));
    }
    for (int i = 0; i < 3; i++)
        (void)loop_sight_note(&sight, here);
    ck_assert(!loop_sight_note(&sight, there));
    ck_assert(loop_sight_note(&sight, here)); /* inside an iteration: it stays */
}
END_TEST

START_TEST(a_loop_moves_to_where_the_thread_stays)
{
    struct loop_sight sight = { 0 };
    for (int i = 0; i < 3; i++)
        (void)loop_sight_note(&sight, here);
    ck_assert(!loop_sight_note(&sight, there));
    ck_assert(!loop_sight_note(&sight, there));
    ck_assert(loop_sight_note(&sight, there));
    ck_assert(!loop_sight_note(&sight, here));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.groups");
    TCase *cpu = tcase_create("cpu_meter");
    tcase_add_checked_fixture(cpu, set_up, NULL);
    tcase_add_test(cpu, it_adds_up_to_the_clock);
    tcase_add_test(cpu, sleep_is_no_cpu_time);
    tcase_add_test(cpu, it_never_goes_back);
    tcase_add_test(cpu, the_clock_is_read_where_the_thread_was_away);
    tcase_add_test(cpu, guesses_are_made_up_for);
    suite_add_tcase(suite, cpu);
    TCase *loops = tcase_create("loop_sight");
    tcase_add_test(loops, a_loop_is_where_a_thread_comes_back_to);
    tcase_add_test(loops, other_waits_are_no_loop);
    tcase_add_test(loops, a_loop_moves_to_where_the_thread_stays);
    suite_add_tcase(suite, loops);
    return run_suite(suite);
}
