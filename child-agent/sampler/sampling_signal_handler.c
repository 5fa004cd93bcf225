#include <errno.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "child-agent/core.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/sampler/clock_sampling.h"
#include "child-agent/sampler/interrupted_call.h"
#include "child-agent/sampler/program_handlers.h"
#include "child-agent/sampler/sampling_signal_inside.h"
#include "child-agent/sampler/signal_stack.h"
#include "child-agent/sampler/snapshot_capture.h"
#include "child-agent/sampler/thread_mask.h"
#include "child-agent/threads/thread_registration.h"
#include "child-agent/upcalls.h"

static __thread bool only_wakes; /* the calling thread */

/* A full queue leaves no word of who sent a signal. */
static bool cannot_be_told(const siginfo_t *info)
{
    return info->si_code == SI_USER && info->si_pid == 0;
}

/* NULL: nobody has asked it yet, or it is not registered. */
static struct snapshot_copy *snapshot_of(const struct thread_registration *thread)
{
    return thread != NULL ? atomic_load(&thread->snapshot) : NULL;
}

/* Whether INFO is of a signal by which somebody asked SELF for a snapshot, perhaps one that it has
 * taken or withdrawn meanwhile. Such a signal names the snapshot, as none of the program's does. */
static bool is_request(const struct thread_registration *self, const siginfo_t *info)
{
    const struct snapshot_copy *snapshot = snapshot_of(self);
    return snapshot != NULL && info->si_code == SI_QUEUE &&
           info->si_value.sival_ptr == (const void *)snapshot;
}

/* The snapshot to fill; NULL if INFO is not a request, or nobody waits for it any more. */
static struct snapshot_copy *requested_snapshot(const struct thread_registration *self,
                                                const siginfo_t *info)
{
    struct snapshot_copy *snapshot = snapshot_of(self);
    if (snapshot == NULL || atomic_load(&snapshot->state) != SNAPSHOT_REQUESTED ||
        atomic_load(&snapshot->signal_number) != info->si_signo)
        return NULL;
    return is_request(self, info) || cannot_be_told(info) ? snapshot : NULL;
}

bool sampling_signal_withdraw_request(const siginfo_t *info)
{
    if (clock_sampling_is_signal(info))
        return true;
    struct snapshot_copy *snapshot = requested_snapshot(thread_current, info);
    if (snapshot != NULL)
        atomic_store(&snapshot->state, SNAPSHOT_EMPTY);
    return snapshot != NULL || is_request(thread_current, info);
}

/* What is blocked while the program's handler of NUMBER runs in CONTEXT: ours blocks more. */
static sigset_t program_mask(int number, const struct sigaction *action, const void *context)
{
    sigset_t mask;
    sigorset(&mask, &((const ucontext_t *)context)->uc_sigmask, &action->sa_mask);
    if (!(action->sa_flags & SA_NODEFER))
        sigaddset(&mask, number);
    if (sampling_signal_lacks_room(action))
        sigaddset(&mask, sampling_signal_number());
    return mask;
}

static void call_handler(const struct sigaction *action, int number, siginfo_t *info, void *context)
{
    if (action->sa_flags & SA_SIGINFO)
        action->sa_sigaction(number, info, context);
    else
        action->sa_handler(number);
}

/* False when the program ignores the signal. */
static bool call_program_action(int number, siginfo_t *info, void *context)
{
    const struct sigaction action = program_signal_action(&program_signals[number]);
    if (!sampling_signal_has_handler(&action))
        return false;
    if (action.sa_flags & SA_RESETHAND)
        sampling_signal_reset_action(number);
    const sigset_t mask = program_mask(number, &action, context);
    sigset_t ours;
    (void)real_pthread_sigmask(SIG_SETMASK, &mask, &ours); /* fails only for what is no mask */
    call_handler(&action, number, info, context);
    interrupted_call_keep(context);
    (void)real_pthread_sigmask(SIG_SETMASK, &ours, NULL);
    return true;
}

/* One that cannot be told may be a late one of ours. */
static void on_program_signal(int number, siginfo_t *info, void *context)
{
    bool is_ambiguous = cannot_be_told(info);
    if (is_ambiguous && core_local.has_arena)
        arena_count_drop(&core.arena, DROP_AMBIGUOUS_SIGNAL, 1);
    bool is_put_back = !is_ambiguous && thread_mask_put_back(number, info, context);
    if (is_put_back || !call_program_action(number, info, context))
        interrupted_call_settle(context);
}

/* With the flags of the program, where we left it the signal, we may be on a small stack. */
static void on_clock(int number, const siginfo_t *info, void *context)
{
    /* A late one may meet a thread that left the signal to its program, and may do nothing any
     * more. */
    if (thread_current == NULL || atomic_load(&thread_current->yields_signal))
        return;
    if (number == sampling_signal_number())
        upcall_take_tick(info, program_handler_sampled_context(context));
    if (!atomic_load(&core.has_filter))
        thread_mask_settle_in_handler(context);
}

/* The kernel lets only the first thread of a process speak for itself and for kill(): others say
 * who sent the signal, but not how. */
void sampling_signal_send_again(int number, siginfo_t *info)
{
    bool is_own = info->si_code == SI_USER && info->si_pid == sampling_signal_owner();
    if (info->si_code == SI_TKILL) {
        (void)syscall(SYS_rt_tgsigqueueinfo, sampling_signal_owner(), gettid(), number, info);
    } else if (is_own) {
        (void)kill(sampling_signal_owner(), number);
    } else if (syscall(SYS_rt_sigqueueinfo, sampling_signal_owner(), number, info) < 0) {
        info->si_code = SI_QUEUE;
        (void)syscall(SYS_rt_sigqueueinfo, sampling_signal_owner(), number, info);
    }
}

/* The agent's thread may be the first that the kernel finds, but the signal is not for it. One that
 * cannot be told woke it, too: that thread has only a signal open that the program does not use. */
static void pass_signal_on(int number, siginfo_t *info)
{
    if (cannot_be_told(info) ||
        (info->si_code == SI_TKILL && info->si_pid == sampling_signal_owner()))
        return; /* to this thread: it is to wake */
    sampling_signal_note_use(number);
    sampling_signal_send_again(number, info);
}

/* A running thread is sampled by its own clock, where it uses CPU time. */
static void answer_request(struct snapshot_copy *snapshot, const void *context)
{
    enum snapshot_state answer = SNAPSHOT_DECLINED;
    if (interrupted_call_is_at(context)) {
        snapshot_capture(snapshot, thread_current, context);
        answer = SNAPSHOT_TAKEN;
    }
    atomic_store_explicit(&snapshot->state, answer, memory_order_release);
}

/* The kernel drops a request while a signal of the same number is pending. */
static void decline_merged_request(int number)
{
    struct snapshot_copy *snapshot = snapshot_of(thread_current);
    uint32_t requested = SNAPSHOT_REQUESTED;
    if (snapshot != NULL && atomic_load(&snapshot->signal_number) == number)
        (void)atomic_compare_exchange_strong(&snapshot->state, &requested, SNAPSHOT_DECLINED);
}

/* SNAPSHOT: NULL for a request that nobody waits for any more, which only passes. */
static void on_request(struct snapshot_copy *snapshot, void *context)
{
    if (snapshot != NULL)
        answer_request(snapshot, context);
    thread_mask_settle_in_handler(context);
    signal_stack_follow_in_handler(context);
    interrupted_call_settle(context);
}

void sampling_signal_handle(int number, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    struct snapshot_copy *snapshot;
    if (only_wakes) {
        if (!clock_sampling_is_signal(info)) /* the timer of the process may meet this thread */
            pass_signal_on(number, info);
    } else if (clock_sampling_is_signal(info)) {
        on_clock(number, info, context);
        decline_merged_request(number);
        signal_stack_follow_in_handler(context);
        interrupted_call_settle(context);
    } else if ((snapshot = requested_snapshot(thread_current, info)) != NULL ||
               is_request(thread_current, info)) {
        on_request(snapshot, context);
    } else {
        on_program_signal(number, info, context);
    }
    errno = saved_errno;
}

void sampling_signal_only_wakes(void)
{
    only_wakes = true;
}
