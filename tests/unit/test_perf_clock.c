#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "buffer/perf_event.h"
#include "child-agent/guest/cpu_clock.h"
#include "child-agent/sampler/perf_clock.h"
#include "child-agent/sampler/perf_keeper.h"
#include "child-agent/sampler/thread_clock.h"
#include "tests/unit/run_suite.h"

enum {
    MS = 1000 * 1000, /* ns */
    INTERVAL_NS = MS,
    TIMER_INTERVAL_NS = MS / 4,
    SIGNAL = SIGURG,
    HIGH_NUMBER = 1023,
};

/* --- Which source gives the samples --- */

START_TEST(a_timer_alone_gives_every_sample)
{
    struct clock_step step = clock_source_step(SOURCE_TIMER, false);
    ck_assert_int_eq(step.source, SOURCE_TIMER);
    ck_assert(step.is_sample && !step.sets_timer);
}
END_TEST

START_TEST(an_event_takes_over_and_makes_the_timer_coarse)
{
    struct clock_step step = clock_source_step(SOURCE_TIMER, true);
    ck_assert_int_eq(step.source, SOURCE_EVENT);
    ck_assert(step.is_sample && step.sets_timer);
    step = clock_source_step(SOURCE_EVENT, true);
    ck_assert_int_eq(step.source, SOURCE_EVENT);
    ck_assert(step.is_sample && !step.sets_timer);
}
END_TEST

START_TEST(a_timer_that_watches_takes_over_when_nothing_came_for_two_of_its_intervals)
{
    struct clock_step step = clock_source_step(SOURCE_EVENT, false);
    ck_assert_int_eq(step.source, SOURCE_SILENT_EVENT);
    ck_assert(!step.is_sample && !step.sets_timer);
    struct clock_step heard = clock_source_step(step.source, true);
    ck_assert_int_eq(heard.source, SOURCE_EVENT);
    ck_assert(heard.is_sample && !heard.sets_timer);
    step = clock_source_step(step.source, false);
    ck_assert_int_eq(step.source, SOURCE_TIMER);
    ck_assert(step.is_sample && step.sets_timer);
}
END_TEST

/* --- What a sample of an event stands for --- */

static struct event_bank bank;

static uint64_t share_of(uint64_t delta_ns)
{
    return clock_event_share_ns(delta_ns, INTERVAL_NS, &bank);
}

START_TEST(a_sample_stands_for_its_interval_and_not_for_switches)
{
    bank = (struct event_bank){ 0, 0 };
    ck_assert_uint_eq(share_of(INTERVAL_NS), INTERVAL_NS);
    for (int i = 0; i < 100; i++)
        ck_assert_uint_eq(share_of(INTERVAL_NS + 300), INTERVAL_NS);
    ck_assert_uint_eq(bank.credit_ns, 0);
}
END_TEST

START_TEST(a_sample_that_comes_too_late_after_one_that_came_too_soon_is_whole)
{
    bank = (struct event_bank){ 0, 0 };
    ck_assert_uint_eq(share_of(INTERVAL_NS - 300), INTERVAL_NS - 300);
    ck_assert_uint_eq(share_of(INTERVAL_NS + 400), INTERVAL_NS + 300);
    ck_assert_uint_eq(bank.credit_ns, 0);
}
END_TEST

/* The first was told late, at the end of a call. */
START_TEST(a_sample_that_comes_too_soon_after_one_that_came_too_late_is_whole)
{
    bank = (struct event_bank){ 0, 0 };
    ck_assert_uint_eq(share_of(INTERVAL_NS + 300), INTERVAL_NS);
    ck_assert_uint_eq(share_of(INTERVAL_NS - 300), INTERVAL_NS);
    ck_assert_uint_eq(bank.aside_ns, 0);
    ck_assert_uint_eq(bank.credit_ns, 0);
}
END_TEST

START_TEST(credit_does_not_grow_beyond_an_interval)
{
    bank = (struct event_bank){ 0, 0 };
    for (int i = 0; i < 10; i++)
        ck_assert_uint_eq(share_of(1), 1);
    ck_assert_uint_eq(bank.credit_ns, INTERVAL_NS);
}
END_TEST

START_TEST(several_intervals_are_several_samples_in_one)
{
    bank = (struct event_bank){ 0, 0 };
    ck_assert_uint_eq(share_of(2 * INTERVAL_NS), 2 * INTERVAL_NS);
    ck_assert_uint_eq(share_of(70 * INTERVAL_NS + 10), 70 * INTERVAL_NS);
}
END_TEST

/* --- What the kernel grants --- */

START_TEST(an_interval_is_as_short_as_the_kernel_grants)
{
    ck_assert_uint_eq(perf_event_granted_interval_ns(MS, 100000), MS);
    ck_assert_uint_eq(perf_event_granted_interval_ns(MS, 0), MS);
    ck_assert_uint_eq(perf_event_granted_interval_ns(1000, 0), 10000);
    ck_assert_uint_eq(perf_event_granted_interval_ns(1000, 1000000), 10000);
    ck_assert_uint_eq(perf_event_granted_interval_ns(10000, 5000), 200000);
    ck_assert_uint_gt(perf_event_most_per_second(), 0);
}
END_TEST

START_TEST(each_refusal_has_its_reason)
{
    ck_assert_int_eq(perf_event_refusal(0), CLOCK_REFUSAL_NONE);
    ck_assert_int_eq(perf_event_refusal(-ESRCH), CLOCK_REFUSAL_NONE);
    ck_assert_int_eq(perf_event_refusal(-EACCES), CLOCK_REFUSAL_KERNEL);
    ck_assert_int_eq(perf_event_refusal(-EPERM), CLOCK_REFUSAL_KERNEL);
    ck_assert_int_eq(perf_event_refusal(-ENOSYS), CLOCK_REFUSAL_KERNEL);
    ck_assert_int_eq(perf_event_refusal(-EMFILE), CLOCK_REFUSAL_DESCRIPTORS);
    ck_assert_int_eq(perf_event_refusal(-ENFILE), CLOCK_REFUSAL_DESCRIPTORS);
    ck_assert_int_eq(perf_event_refusal(-EINVAL), CLOCK_REFUSAL_OTHER);
    ck_assert_int_eq(perf_event_refusal(-ENOSPC), CLOCK_REFUSAL_OTHER);
}
END_TEST

/* --- A thread with a timer and an event, where the kernel lets us --- */

static struct thread_clock thread;
static struct profd_thread_id self;
static volatile sig_atomic_t event_samples, timer_samples, strangers;
static volatile uint64_t told_ns, sink;

static void on_signal(int number, siginfo_t *info, void *context)
{
    uint64_t cpu_ns;
    (void)number;
    (void)context;
    if (perf_clock_is_signal(info)) {
        if (thread_clock_read_event(&thread, INTERVAL_NS, &cpu_ns)) {
            event_samples++;
            told_ns += thread_clock_take_unreported(&thread, cpu_ns);
        }
    } else if (!thread_clock_is_signal(info)) {
        strangers++;
    } else if (thread_clock_read_signal(&thread, info, &cpu_ns)) {
        timer_samples++;
        told_ns += thread_clock_take_unreported(&thread, cpu_ns);
    }
}

static void burn_ms(unsigned ms)
{
    uint64_t end_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)ms * MS;
    while (clock_read_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
        for (unsigned i = 0; i < 1000; i++)
            sink += i * sink;
}

static void begin_thread(void)
{
    const struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
    ck_assert_int_eq(sigaction(SIGNAL, &action, NULL), 0);
    self.number = gettid();
    ck_assert_int_eq(
        thread_clock_start(&thread, self, cpu_clock_of_thread(self), SIGNAL, TIMER_INTERVAL_NS), 0);
    thread_clock_count(&thread, thread.base_ns, thread.base_ns);
}

static bool may_have_events(void)
{
    int fd;
    int error = perf_clock_open(self, INTERVAL_NS, SIGNAL, &fd);
    if (error == 0)
        close(fd);
    else
        ck_assert_int_eq(perf_event_refusal(error), CLOCK_REFUSAL_KERNEL);
    return error == 0;
}

START_TEST(an_event_comes_at_the_interval_and_its_end_is_noticed)
{
    int fd;
    begin_thread();
    if (!may_have_events())
        return;
    ck_assert_int_eq(perf_clock_open(self, INTERVAL_NS, SIGNAL, &fd), 0);
    burn_ms(300);
    ck_assert_int_gt(event_samples, 200);
    ck_assert_int_eq(thread.source == SOURCE_TIMER, false);
    close(fd);
    int before = timer_samples;
    burn_ms(300);
    ck_assert_int_eq(thread.source, SOURCE_TIMER);
    ck_assert_int_gt(timer_samples, before + 2);
    uint64_t cpu_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    thread_clock_stop(&thread);
    ck_assert_uint_eq(told_ns + thread_clock_take_rest(&thread, cpu_ns), cpu_ns - thread.base_ns);
    ck_assert_int_eq(strangers, 0);
}
END_TEST

/* The same number as all events show is what tells them apart. */
START_TEST(a_descriptor_of_the_program_is_not_ours)
{
    const struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = gettid() };
    siginfo_t info = { .si_code = POLL_IN };
    info.si_fd = HIGH_NUMBER;
    ck_assert(!perf_clock_is_signal(&info)); /* there was no event yet */
    begin_thread();
    if (!may_have_events())
        return;
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    int own = limit.rlim_cur > HIGH_NUMBER ? HIGH_NUMBER : (int)limit.rlim_cur - 1;
    info.si_fd = own;
    ck_assert(perf_clock_is_signal(&info));
    info.si_code = SI_SIGIO;
    ck_assert(perf_clock_is_signal(&info));
    info.si_code = SI_QUEUE;
    ck_assert(!perf_clock_is_signal(&info));
    ck_assert_int_eq(fcntl(own, F_GETFD), -1); /* it is free again */
    int fds[2];
    ck_assert_int_eq(pipe2(fds, O_NONBLOCK), 0);
    ck_assert_int_eq(fcntl(fds[0], F_SETSIG, SIGNAL), 0);
    ck_assert_int_eq(fcntl(fds[0], F_SETOWN_EX, &owner), 0);
    ck_assert_int_eq(fcntl(fds[0], F_SETFL, O_ASYNC | O_NONBLOCK), 0);
    ck_assert_int_eq(write(fds[1], "", 1), 1);
    ck_assert_int_eq(strangers, 1);
    perf_clock_after_fork_child();
    info.si_code = POLL_IN;
    ck_assert(!perf_clock_is_signal(&info));
}
END_TEST

START_TEST(a_full_table_refuses_without_harm)
{
    int fd;
    begin_thread();
    if (!may_have_events())
        return;
    struct rlimit before;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    const struct rlimit low = { .rlim_cur = 4, .rlim_max = before.rlim_max };
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &low), 0);
    ck_assert_int_eq(perf_clock_open(self, INTERVAL_NS, SIGNAL, &fd), -EMFILE);
    ck_assert_int_eq(fcntl(STDERR_FILENO, F_GETFD), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0); /* sanitizers open files at the end */
}
END_TEST

/* --- Who keeps events --- */

static struct perf_wish wishes[200];

static struct perf_wish wish_of(uint32_t slot)
{
    return wishes[slot];
}

static struct perf_outcome follow_wish(void)
{
    return perf_keeper_follow(wish_of, INTERVAL_NS, SIGNAL);
}

static int count_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < HIGH_NUMBER; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

START_TEST(nothing_is_done_unless_it_is_marked)
{
    begin_thread();
    wishes[3] = (struct perf_wish){ .wants_event = true, .thread_index = 7, .thread = self };
    struct perf_outcome outcome = follow_wish();
    ck_assert(!outcome.has_changes && !outcome.has_opened);
    perf_keeper_mark(3);
    outcome = follow_wish();
    ck_assert(outcome.has_changes);
    ck_assert(outcome.has_opened == (outcome.refusal == CLOCK_REFUSAL_NONE));
    outcome = follow_wish();
    ck_assert(!outcome.has_changes);
}
END_TEST

START_TEST(events_come_and_go_with_their_threads)
{
    begin_thread();
    if (!may_have_events())
        return;
    int before = count_descriptors();
    wishes[3] = (struct perf_wish){ .wants_event = true, .thread_index = 7, .thread = self };
    wishes[130] = (struct perf_wish){ .wants_event = true, .thread_index = 8, .thread = self };
    perf_keeper_mark(3);
    perf_keeper_mark(130);
    ck_assert(follow_wish().has_opened);
    ck_assert_int_eq(count_descriptors(), before + 2);
    perf_keeper_mark(3); /* another time for the same thread */
    ck_assert(!follow_wish().has_opened);
    ck_assert_int_eq(count_descriptors(), before + 2);
    wishes[3].thread_index = 9; /* another thread in the slot */
    perf_keeper_mark(3);
    ck_assert(follow_wish().has_opened);
    ck_assert_int_eq(count_descriptors(), before + 2);
    wishes[130].wants_event = false;
    perf_keeper_mark(130);
    follow_wish();
    ck_assert_int_eq(count_descriptors(), before + 1);
    perf_keeper_close();
    ck_assert_int_eq(count_descriptors(), before);
    ck_assert(follow_wish().has_opened); /* for another session */
    ck_assert_int_eq(count_descriptors(), before + 1);
}
END_TEST

START_TEST(a_thread_that_is_gone_is_no_refusal)
{
    begin_thread();
    if (!may_have_events())
        return;
    wishes[0] = (struct perf_wish){ .wants_event = true, .thread = { .number = 0x3fffffff } };
    perf_keeper_mark(0);
    struct perf_outcome outcome = follow_wish();
    ck_assert(!outcome.has_opened);
    ck_assert_int_eq(outcome.refusal, CLOCK_REFUSAL_NONE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.perf_clock");
    TCase *pure = tcase_create("pure");
    tcase_add_test(pure, a_timer_alone_gives_every_sample);
    tcase_add_test(pure, an_event_takes_over_and_makes_the_timer_coarse);
    tcase_add_test(pure,
                   a_timer_that_watches_takes_over_when_nothing_came_for_two_of_its_intervals);
    tcase_add_test(pure, a_sample_stands_for_its_interval_and_not_for_switches);
    tcase_add_test(pure, a_sample_that_comes_too_late_after_one_that_came_too_soon_is_whole);
    tcase_add_test(pure, a_sample_that_comes_too_soon_after_one_that_came_too_late_is_whole);
    tcase_add_test(pure, credit_does_not_grow_beyond_an_interval);
    tcase_add_test(pure, several_intervals_are_several_samples_in_one);
    tcase_add_test(pure, an_interval_is_as_short_as_the_kernel_grants);
    tcase_add_test(pure, each_refusal_has_its_reason);
    suite_add_tcase(suite, pure);
    TCase *events = tcase_create("events");
    tcase_add_test(events, an_event_comes_at_the_interval_and_its_end_is_noticed);
    tcase_add_test(events, a_descriptor_of_the_program_is_not_ours);
    tcase_add_test(events, a_full_table_refuses_without_harm);
    tcase_add_test(events, nothing_is_done_unless_it_is_marked);
    tcase_add_test(events, events_come_and_go_with_their_threads);
    tcase_add_test(events, a_thread_that_is_gone_is_no_refusal);
    suite_add_tcase(suite, events);
    return run_suite(suite);
}
