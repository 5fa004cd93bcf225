/* One timer for all threads that have none. */
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "child-agent/sampler/process_timer.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/timers_limit.h"

enum { SIGNAL = SIGURG, OTHER_SIGNAL = SIGWINCH, INTERVAL_NS = 1000 * 1000, BURN_MS = 200 };

static _Thread_local volatile sig_atomic_t own_signals;
static volatile sig_atomic_t strangers;

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    if (process_timer_is_signal(info))
        own_signals++;
    else
        strangers++;
}

static void begin_timer(void)
{
    const struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

    ck_assert_int_eq(sigaction(SIGNAL, &action, NULL), 0);
    ck_assert_int_eq(sigaction(OTHER_SIGNAL, &action, NULL), 0);
    ck_assert_int_eq(process_timer_make(SIGNAL), 0);
}

static bool is_there(void)
{
    return process_timer_serve(INTERVAL_NS);
}

static void burn_time(void)
{
    clock_t end = clock() + (clock_t)BURN_MS * CLOCKS_PER_SEC / 1000;

    while (clock() < end)
        ;
}

static void *burn_in_thread(void *signals)
{
    burn_time();
    *(int *)signals = own_signals;
    return NULL;
}

/* The main thread sleeps meanwhile, and is not woken. */
START_TEST(it_meets_the_thread_that_runs)
{
    pthread_t thread;
    int signals = 0;

    begin_timer();
    if (!is_there())
        return; /* an old kernel */
    ck_assert_int_eq(pthread_create(&thread, NULL, burn_in_thread, &signals), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_ge(signals, 5);
    ck_assert_int_le(own_signals, 3);
    ck_assert_int_eq(strangers, 0);
    process_timer_delete();
}
END_TEST

START_TEST(it_goes_on_with_another_signal)
{
    sigset_t before;

    begin_timer();
    if (!is_there())
        return;
    sigemptyset(&before);
    sigaddset(&before, SIGNAL);
    process_timer_change_signal(OTHER_SIGNAL);
    ck_assert_int_eq(sigprocmask(SIG_BLOCK, &before, NULL), 0);
    int signals = own_signals;
    burn_time();
    ck_assert_int_ge(own_signals, signals + 5);
    process_timer_delete();
}
END_TEST

START_TEST(nothing_serves_without_one)
{
    ck_assert(!process_timer_serve(INTERVAL_NS));
    begin_timer();
    process_timer_delete();
    ck_assert(!process_timer_serve(INTERVAL_NS));
}
END_TEST

/* The only timer there is. */
static void delete_in_kernel(void)
{
    FILE *list = fopen("/proc/self/timers", "r");
    int number = -1;

    ck_assert_ptr_nonnull(list);
    ck_assert_int_eq(fscanf(list, "ID: %d", &number), 1);
    fclose(list);
    ck_assert_int_eq(syscall(SYS_timer_delete, number), 0);
}

START_TEST(a_timer_that_cannot_be_set_serves_nobody)
{
    begin_timer();
    if (!is_there())
        return; /* an old kernel */
    process_timer_rest();
    delete_in_kernel();
    ck_assert(!process_timer_serve(INTERVAL_NS));
    ck_assert(!process_timer_serve(INTERVAL_NS));
}
END_TEST

START_TEST(a_limit_is_an_error)
{
    struct timers_limit limit;

    forbid_timers(&limit);
    int error = process_timer_make(SIGNAL);
    allow_timers(&limit);
    ck_assert(error == -EAGAIN || (error == 0 && !is_there())); /* 0: an old kernel */
}
END_TEST

START_TEST(kernels_that_would_wake_sleepers_are_told_apart)
{
    ck_assert(!process_timer_works_with("6.1.0-28-amd64"));
    ck_assert(!process_timer_works_with("5.15.0"));
    ck_assert(!process_timer_works_with("6.3.13"));
    ck_assert(process_timer_works_with("6.4"));
    ck_assert(process_timer_works_with("6.18.1-custom"));
    ck_assert(process_timer_works_with("7.0.0-rc1"));
    ck_assert(!process_timer_works_with(""));
}
END_TEST

static Suite *process_timer_suite(void)
{
    Suite *suite = suite_create("child-agent.process_timer");
    TCase *timer = tcase_create("timer");

    tcase_add_test(timer, it_meets_the_thread_that_runs);
    tcase_add_test(timer, it_goes_on_with_another_signal);
    tcase_add_test(timer, nothing_serves_without_one);
    tcase_add_test(timer, a_timer_that_cannot_be_set_serves_nobody);
    tcase_add_test(timer, a_limit_is_an_error);
    tcase_add_test(timer, kernels_that_would_wake_sleepers_are_told_apart);
    suite_add_tcase(suite, timer);
    return suite;
}

int main(void)
{
    return run_suite(process_timer_suite());
}
