/* What the program is about to forbid itself: calls, by a filter, and the instruction that reads
 * the TSC. Sampling ends unless the filter lets through what it takes; without the TSC it goes on.
 */
#include "child-agent/interpose/interpose_filters.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>

#include "buffer/clock.h"
#include "child-agent/agent_line.h"
#include "child-agent/core.h"
#include "child-agent/guest/process_memory.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/interpose/filter_calls.h"
#include "child-agent/interpose/interpose_waits.h"
#include "child-agent/one_thread.h"
#include "child-agent/resting.h"
#include "child-agent/sampler/clock_sampling.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/sampler/thread_mask.h"
#include "child-agent/unwinding/process_unwinder.h"
#include "child-agent/upcalls.h"

static bool goes_on; /* sampling, behind the filters so far */

static void give_up_calls(void)
{
    upcall_end_dormancy(); /* which takes calls */
    resting_end();         /* likewise */
    atomic_store(&core.is_filtered, true);
    clock_sampling_give_up();
}

/* FILTER: NULL for the strict mode. */
static void prepare_for_filter(const struct sock_fprog *filter, bool is_for_all_threads)
{
    interpose_waits_plainly();
    give_up_calls();
    if (is_for_all_threads) /* ours would make calls that are not on the program's list */
        one_thread_do_without_agent_threads();
    agent_line_close();
    if (filter != NULL && filter_calls_let_sampling_go_on(filter)) {
        process_unwinder_prepare();
        process_memory_read_directly();
        goes_on = clock_sampling_go_quiet();
    }
    atomic_store(&core.has_filter, true);
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
    prepare_for_filter(NULL, false);
}

/* What a child of vfork forbids itself is not this process' affair, though it has our memory.
 * Behind a filter nobody may ask who it is. */
static bool is_ours_to_prepare(void)
{
    return core.is_enabled && (atomic_load(&core.has_filter) || sampling_signal_is_own_process());
}

/* FILTER: NULL for the strict mode, or one that cannot be read. */
static void prepare_for_mode(bool is_strict, const struct sock_fprog *filter,
                             bool is_for_all_threads)
{
    if (filter == NULL || !filter_calls_let_process_be_known(filter))
        sampling_signal_take_for_own_process();
    if (atomic_load(&core.has_filter))
        prepare_for_next_filter(is_strict ? NULL : filter);
    else if (is_strict)
        prepare_for_strict_mode();
    else
        prepare_for_filter(filter, is_for_all_threads);
}

/* NULL for what the kernel will not be able to read either. */
static const struct sock_fprog *filter_at(unsigned long address)
{
    const struct sock_fprog *filter =
        (const struct sock_fprog *)address; /* NOLINT: an argument of a call */
    struct sock_fprog head;
    struct sock_filter line;
    if (atomic_load(&core.has_filter))
        return filter; /* nobody may ask; where it cannot be read the program is in error */
    if (process_memory_read(address, &head, sizeof(head)) < 0 || head.len == 0)
        return NULL;
    uint64_t last = (uint64_t)(uintptr_t)(head.filter + head.len - 1);
    return process_memory_read((uint64_t)(uintptr_t)head.filter, &line, sizeof(line)) == 0 &&
                   process_memory_read(last, &line, sizeof(line)) == 0
               ? filter
               : NULL;
}

/* Whoever calls without a filter asks whether the kernel knows such, and sets none. */
void interpose_filters_before_prctl(int option, unsigned long first, unsigned long second)
{
    /* Also where the agent does nothing: waits for children are told of all the same. */
    if (option == PR_SET_TSC && first == PR_TSC_SIGSEGV &&
        (!core.is_enabled || sampling_signal_is_own_process()))
        clock_forbid_tsc();
    if (!is_ours_to_prepare())
        return;
    if (option == PR_SET_NO_NEW_PRIVS && !atomic_load(&core.has_filter))
        give_up_calls(); /* some set filters by calls of their own, and say this first */
    else if (option == PR_SET_SECCOMP && first == SECCOMP_MODE_STRICT)
        prepare_for_mode(true, NULL, false);
    else if (option == PR_SET_SECCOMP && first == SECCOMP_MODE_FILTER && second != 0)
        prepare_for_mode(false, filter_at(second), false);
}

void interpose_filters_before_seccomp(unsigned operation, unsigned long flags, unsigned long filter)
{
    if (!is_ours_to_prepare())
        return;
    if (operation == SECCOMP_SET_MODE_STRICT)
        prepare_for_mode(true, NULL, false);
    else if (operation == SECCOMP_SET_MODE_FILTER && filter != 0)
        prepare_for_mode(false, filter_at(filter), flags & SECCOMP_FILTER_FLAG_TSYNC);
}
