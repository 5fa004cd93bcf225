#include "child-agent/sampler/sampling_signal.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "child-agent/dormancy.h"
#include "child-agent/interpose/real_calls.h"
#include "child-agent/process_title.h"
#include "child-agent/sampler/clock_sampling.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/sampler/snapshot_capture.h"
#include "child-agent/session.h"
#include "child-agent/threads/thread_registration.h"

static int signal_number = SIGURG;
static _Atomic bool is_installed;
static __thread bool only_wakes;        /* the calling thread */
static struct sigaction program_action; /* what the program wants; ours is in the kernel */

void sampling_signal_initialize(int number)
{
    signal_number = number;
}

int sampling_signal_number(void)
{
    return signal_number;
}

/* The snapshot to fill, or NULL when nobody asked for one. */
static struct snapshot_copy *requested_snapshot(const struct thread_registration *self)
{
    struct snapshot_copy *snapshot = self != NULL ? atomic_load(&self->snapshot) : NULL;
    if (snapshot == NULL || atomic_load(&snapshot->state) != SNAPSHOT_REQUESTED)
        return NULL;
    return snapshot;
}

bool sampling_signal_withdraw_request(const siginfo_t *info)
{
    if (clock_sampling_is_signal(info))
        return true;
    struct snapshot_copy *snapshot = requested_snapshot(thread_current);
    if (snapshot == NULL)
        return false;
    atomic_store(&snapshot->state, SNAPSHOT_EMPTY);
    return true;
}

bool sampling_signal_is_handled_by_program(void)
{
    return (program_action.sa_flags & SA_SIGINFO) ||
           (program_action.sa_handler != SIG_DFL && program_action.sa_handler != SIG_IGN);
}

static void call_program_action(int number, siginfo_t *info, void *context)
{
    if (!sampling_signal_is_handled_by_program())
        return;
    if (program_action.sa_flags & SA_SIGINFO)
        program_action.sa_sigaction(number, info, context);
    else
        program_action.sa_handler(number);
}

static void take_own_sample(const siginfo_t *info, void *context)
{
    if (dormancy_needs_tick())
        dormancy_wake_in_handler();
    if (core_own.is_dormant) {
        clock_sampling_wait(thread_current, info);
        return;
    }
    if (!session_follow_word()) {
        clock_sampling_skip(thread_current, info, context);
        return;
    }
    clock_sampling_take(thread_current, info, context);
    process_title_follow();
    sampler_do_chores();
}

static void on_sampling_signal(int number, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    if (only_wakes)
        return;
    if (clock_sampling_is_signal(info)) {
        if (thread_current != NULL)
            take_own_sample(info, context);
        snapshot_restart_system_call(context);
        errno = saved_errno;
        return;
    }
    struct snapshot_copy *snapshot = requested_snapshot(thread_current);
    if (snapshot != NULL) {
        snapshot_capture(snapshot, thread_current, context);
        atomic_store_explicit(&snapshot->state, SNAPSHOT_TAKEN, memory_order_release);
        snapshot_restart_system_call(context);
    } else {
        call_program_action(number, info, context);
    }
    errno = saved_errno;
}

int sampling_signal_install(void)
{
    struct sigaction action = { .sa_sigaction = on_sampling_signal,
                                .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };
    if (atomic_load(&is_installed))
        return 0;
    sigfillset(&action.sa_mask);
    if (real_sigaction(signal_number, NULL, &program_action) < 0 ||
        real_sigaction(signal_number, &action, NULL) < 0)
        return -errno;
    atomic_store(&is_installed, true);
    return 0;
}

void sampling_signal_only_wakes(void)
{
    only_wakes = true;
}

void sampling_signal_waking_mask(sigset_t *mask)
{
    sigfillset(mask);
    sigdelset(mask, signal_number);
}

void sampling_signal_unblock(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal_number);
    (void)real_pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

bool sampling_signal_program_action(const struct sigaction *action, struct sigaction *old_action)
{
    if (!atomic_load(&is_installed))
        return false;
    struct sigaction previous = program_action;
    if (action != NULL)
        program_action = *action;
    if (old_action != NULL)
        *old_action = previous;
    return true;
}
