/* What the program is about to forbid itself: calls, by a filter, and the instruction that reads
 * the TSC. Nobody can tell which calls a filter lets through, so sampling ends; without the TSC it
 * goes on. */
#include "child-agent/interpose/interpose_filters.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "buffer/clock.h"
#include "child-agent/agent_line.h"
#include "child-agent/core.h"
#include "child-agent/interpose/interpose_waits.h"
#include "child-agent/one_thread.h"
#include "child-agent/resting.h"
#include "child-agent/sampler/clock_sampling.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/sampler/thread_mask.h"
#include "child-agent/upcalls.h"

static void give_up_calls(void)
{
    upcall_end_dormancy(); /* which takes calls */
    resting_end();         /* likewise */
    atomic_store(&core.is_filtered, true);
    clock_sampling_give_up();
}

static void prepare_for_filter(void)
{
    interpose_waits_plainly();
    give_up_calls();
    agent_line_close();
    atomic_store(&core.has_filter, true);
}

/* The strict mode forbids the thread its time stamps as well, so nothing may interrupt it. */
static void prepare_for_strict_mode(void)
{
    if (one_thread_is_known())
        one_thread_stop_agent_threads(); /* or the thread's last call would not be the process' */
    thread_mask_yield();
    prepare_for_filter();
}

/* What a child of vfork forbids itself is not this process' affair, though it has our memory. */
static bool is_ours_to_prepare(void)
{
    return core.is_enabled && !atomic_load(&core.has_filter) && sampling_signal_is_own_process();
}

/* Programs ask with none whether the kernel knows filters. */
static bool is_question(bool is_filter, unsigned long filter)
{
    return is_filter && filter == 0;
}

void interpose_filters_before_prctl(int option, unsigned long first, unsigned long second)
{
    /* Also where the agent does nothing: waits for children are told of all the same. */
    if (option == PR_SET_TSC && first == PR_TSC_SIGSEGV &&
        (!core.is_enabled || sampling_signal_is_own_process()))
        clock_forbid_tsc();
    if ((option != PR_SET_SECCOMP && option != PR_SET_NO_NEW_PRIVS) || !is_ours_to_prepare())
        return;
    if (option == PR_SET_NO_NEW_PRIVS)
        give_up_calls(); /* some set filters by calls of their own, and say this first */
    else if (first == SECCOMP_MODE_STRICT)
        prepare_for_strict_mode();
    else if (!is_question(first == SECCOMP_MODE_FILTER, second))
        prepare_for_filter();
}

void interpose_filters_before_seccomp(unsigned operation, unsigned long filter)
{
    bool is_strict = operation == SECCOMP_SET_MODE_STRICT;
    bool is_filter = operation == SECCOMP_SET_MODE_FILTER;
    if ((!is_strict && !is_filter) || is_question(is_filter, filter) || !is_ours_to_prepare())
        return;
    if (is_strict)
        prepare_for_strict_mode();
    else
        prepare_for_filter();
}
