/* What a thread waits for when the sampling signal moves, by an arena in which profd, which keeps
 * its perf event, is stopped. */
#include <check.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "child-agent/core.h"
#include "child-agent/sampler/clock_sampling_inside.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/sampler/thread_mask.h"
#include "child-agent/threads/thread_registration.h"
#include "tests/unit/run_suite.h"

enum { MS = 1000 * 1000, AT_ONCE_NS = 50 * MS, HOUR_MS = 3600 * 1000 };

static struct thread_registration self;
static ucontext_t context;

/* The thread has a clock that does not tick during a test, and an event that sends SIGURG. */
static void set_up(void)
{
    core.arena.header =
        mmap(NULL, ARENA_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(core.arena.header, MAP_FAILED);
    core_local.has_arena = true;
    atomic_store(&core.arena.header->event_loan.lent.signal, SIGURG);
    sampling_signal_initialize(0);
    ck_assert_int_eq(sampling_signal_install(), 0);
    self.id.number = gettid();
    self.cpu_clock = CLOCK_THREAD_CPUTIME_ID;
    self.own_.signal_number = SIGURG;
    ck_assert_int_eq(
        thread_clock_start(&self.clock, self.id, self.cpu_clock, SIGURG, (uint64_t)HOUR_MS * MS),
        0);
    thread_current = &self;
    atomic_store(&sampling.uses_events, true);
    sampling.borrows_event = true;
    sampling_signal_note_use(SIGURG);
    ck_assert_int_eq(sampling_signal_number(), SIGWINCH);
}

static void tear_down(void)
{
    thread_clock_stop(&self.clock);
    thread_current = NULL;
}

static void settle_in_handler(void)
{
    thread_mask_settle_in_handler(&context);
}

static uint64_t duration_ns(void (*work)(void))
{
    uint64_t start_ns = clock_monotonic_ns();
    work();
    return clock_monotonic_ns() - start_ns;
}

START_TEST(our_handler_does_not_wait_for_others)
{
    ck_assert_uint_lt(duration_ns(settle_in_handler), AT_ONCE_NS);
    ck_assert_int_eq(self.own_.signal_number, SIGWINCH);
    ck_assert_int_eq(atomic_load(&self.clock.signal_number), SIGWINCH);
}
END_TEST

START_TEST(the_next_call_of_the_program_waits_once)
{
    settle_in_handler();
    ck_assert_uint_gt(duration_ns(thread_mask_settle), AT_ONCE_NS);
    ck_assert_uint_lt(duration_ns(thread_mask_settle), AT_ONCE_NS);
}
END_TEST

START_TEST(nobody_waits_for_an_event_that_has_ended)
{
    settle_in_handler();
    atomic_store(&core.arena.header->event_loan.lent.signal, 0);
    ck_assert_uint_lt(duration_ns(thread_mask_settle), AT_ONCE_NS);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.thread_mask");
    TCase *waits = tcase_create("waits");
    tcase_add_checked_fixture(waits, set_up, tear_down);
    tcase_add_test(waits, our_handler_does_not_wait_for_others);
    tcase_add_test(waits, the_next_call_of_the_program_waits_once);
    tcase_add_test(waits, nobody_waits_for_an_event_that_has_ended);
    suite_add_tcase(suite, waits);
    return run_suite(suite);
}
