/* What the program is about to forbid itself: calls, by a filter, and the instruction that reads
 * the TSC. Sampling ends unless the filter lets through what it takes; without the TSC it goes on.
 */
#include "child-agent/interpose/interpose_filters.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <time.h>

#include "buffer/clock.h"
#include "child-agent/agent_line.h"
#include "child-agent/agent_presence.h"
#include "child-agent/census.h"
#include "child-agent/census_message.h"
#include "child-agent/census_unasked.h"
#include "child-agent/core.h"
#include "child-agent/guest/memory_probe_x86_64.h"
#include "child-agent/guest/preload.h"
#include "child-agent/guest/process_memory.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/interpose/filter_calls.h"
#include "child-agent/interpose/interpose_waits.h"
#include "child-agent/one_thread.h"
#include "child-agent/resting.h"
#include "child-agent/sampler/clock_sampling.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/sampler/thread_mask.h"
#include "child-agent/threads/thread_registry.h"
#include "child-agent/unwinding/process_unwinder.h"
#include "child-agent/upcalls.h"
#include "common/time_units.h"

static bool goes_on; /* sampling, behind the filters so far */

enum {
    MOST_PREPARING_NS = NS_PER_S,
    PASSING_NS = 5 * NS_PER_MS,
};

/* Whether this is the first of the threads that set filters, of which several may come at once. The
 * others wait, without a call, since that one's filter may be for them as well; not for ever, since
 * a handler may have interrupted it. */
static bool is_first(void)
{
    if (!atomic_exchange(&core_local.awaits_filter, true))
        return true;
    uint64_t end_ns = clock_monotonic_ns() + MOST_PREPARING_NS;
    while (!atomic_load(&core.has_filter) && clock_monotonic_ns() < end_ns)
        __builtin_ia32_pause();
    return false;
}

static void give_up_calls(void)
{
    upcall_end_dormancy(); /* which takes calls */
    resting_end();         /* likewise */
    atomic_store(&core.is_filtered, true);
    clock_sampling_give_up();
}

/* Other threads may have looked for a filter just now, and make the calls that follow from that. */
static void let_calls_pass(void)
{
    static const struct timespec pause = { .tv_nsec = PASSING_NS };
    if (thread_registry_live_count() > 1)
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

/* FILTER: NULL for the strict mode. Threads of ours would make calls that are not on the program's
 * list, where this filter or a later one is for all threads; and behind this one they might be
 * there for ever, since it takes calls to end them. */
static void prepare_for_filter(const struct sock_fprog *filter)
{
    agent_presence_forgo_threads();
    interpose_waits_plainly();
    give_up_calls();
    one_thread_do_without_agent_threads();
    agent_line_close();
    census_prepare_for_filter();
    if (filter != NULL)
        preload_leave_environment();
    if (filter != NULL && filter_calls_let_sampling_go_on(filter)) {
        process_unwinder_prepare();
        process_memory_read_directly();
        goes_on = clock_sampling_go_quiet();
    }
    atomic_store(&core.has_filter, true);
    let_calls_pass();
}

/* A filter behind one that lets samples through: the signal of their timer, which may not be
 * deleted any more, is ignored unless this one does so, too. */
static void prepare_for_next_filter(const struct sock_fprog *filter)
{
    const struct sigaction ignored = { .sa_handler = SIG_IGN };
    if (!goes_on || (filter != NULL && filter_calls_let_sampling_go_on(filter)))
        return;
    goes_on = false;
    (void)real_sigaction(sampling_signal_number(), &ignored, NULL); /* which is allowed */
}

/* The strict mode forbids the thread its time stamps as well, so nothing may interrupt it. */
static void prepare_for_strict_mode(void)
{
    if (one_thread_is_known())
        one_thread_stop_agent_threads(); /* or the thread's last call would not be the process' */
    thread_mask_yield();
    prepare_for_filter(NULL);
}

/* What a child of vfork forbids itself is not this process' affair, though it has our memory. Where
 * a filter forbids to ask who it is, it is taken for this process. */
static bool is_ours_to_prepare(void)
{
    return core.is_enabled && sampling_signal_is_own_process();
}

/* FILTER: NULL for the strict mode, or one that cannot be read. */
static void prepare_own_process(bool is_strict, const struct sock_fprog *filter)
{
    if (filter == NULL || !filter_calls_let_process_be_known(filter))
        sampling_signal_take_for_own_process();
    if (filter == NULL || !filter_calls_let_sessions_change(filter))
        atomic_store(&core.forbids_sessions, true);
    if (!is_first())
        prepare_for_next_filter(is_strict ? NULL : filter);
    else if (is_strict)
        prepare_for_strict_mode();
    else
        prepare_for_filter(filter);
}

/* NULL for what the kernel will not be able to read either, and where a filter may forbid to look:
 * then nothing goes on that this one could end. */
static const struct sock_fprog *filter_at(unsigned long address)
{
    const struct sock_fprog *filter =
        (const struct sock_fprog *)address; /* NOLINT: an argument of a call */
    if (atomic_load(&core.has_filter) && !goes_on && !census_unasked_may_call())
        return NULL;
    if (!memory_probe_reads(address, sizeof(*filter)) || filter->len == 0)
        return NULL;
    return memory_probe_reads((uint64_t)(uintptr_t)filter->filter,
                              filter->len * sizeof(*filter->filter))
               ? filter
               : NULL;
}

/* ADDRESS is that of the filter. Children of a process behind one, and those that have its memory,
 * tell of programs as well. */
static void prepare_for_mode(bool is_strict, unsigned long address)
{
    bool is_ours = is_ours_to_prepare();
    if (!is_ours && !atomic_load(&core.has_filter)) {
        if (core.is_enabled) /* else nothing is told, nor known of earlier filters */
            census_message_note_confined(getpid());
        return;
    }
    const struct sock_fprog *filter = is_strict ? NULL : filter_at(address);
    if (filter == NULL || !filter_calls_let_programs_be_told(filter))
        census_unasked_forgo_calls();
    if (is_ours)
        prepare_own_process(is_strict, filter);
}

/* Whoever calls without a filter, or for the strict mode with one or with flags, asks whether the
 * kernel knows such, and sets none. */
void interpose_filters_before_prctl(int option, unsigned long first, unsigned long second)
{
    /* Also where the agent does nothing: waits for children are told of all the same. */
    if (option == PR_SET_TSC && first == PR_TSC_SIGSEGV &&
        (!core.is_enabled || sampling_signal_is_own_process()))
        clock_forbid_tsc();
    if (option == PR_SET_SECCOMP && first == SECCOMP_MODE_STRICT)
        prepare_for_mode(true, 0);
    else if (option == PR_SET_SECCOMP && first == SECCOMP_MODE_FILTER && second != 0)
        prepare_for_mode(false, second);
}

void interpose_filters_before_seccomp(unsigned operation, unsigned long flags, unsigned long filter)
{
    if (operation == SECCOMP_SET_MODE_STRICT && flags == 0 && filter == 0)
        prepare_for_mode(true, 0);
    else if (operation == SECCOMP_SET_MODE_FILTER && filter != 0)
        prepare_for_mode(false, filter);
}
