#include "child-agent/sampler/sampling_signal.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "child-agent/core.h"
#include "child-agent/dormancy.h"
#include "child-agent/groups/groups.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/process_title.h"
#include "child-agent/resting.h"
#include "child-agent/reunion.h"
#include "child-agent/sampler/clock_sampling.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/sampler/signal_choice.h"
#include "child-agent/sampler/signal_stack.h"
#include "child-agent/sampler/snapshot_capture.h"
#include "child-agent/sampler/thread_mask.h"
#include "child-agent/session.h"
#include "child-agent/threads/thread_registration.h"

static struct {
    int chosen;  /* by the user; 0: nobody */
    pid_t owner; /* the process, but for children that it shares memory with */
    _Atomic enum signal_place place;
    _Atomic bool is_locked; /* by a thread that has all signals blocked, and does not wait */
    bool is_installed;
} signals = { .place = SIGNAL_AT_FIRST };

/* Of a signal that has our handler in the kernel; by number. */
static struct program_signal {
    _Atomic bool has_ours;
    struct sigaction action; /* what the program wants */
} program_signals[NSIG];

static __thread bool only_wakes; /* the calling thread */

void sampling_signal_after_fork_child(void)
{
    signals.owner = getpid();
    atomic_store(&signals.is_locked, false);
}

int sampling_signal_number(void)
{
    return signal_number_at(atomic_load(&signals.place), signals.chosen);
}

bool sampling_signal_is_shared(void)
{
    return signal_is_shared_at(atomic_load(&signals.place));
}

bool sampling_signal_is_own_process(void)
{
    return getpid() == signals.owner;
}

bool sampling_signal_may_be(int number)
{
    return signal_use_of(number, signals.chosen) != USES_NONE_OF_OURS;
}

uint64_t sampling_signal_unused(void)
{
    return signal_unused_at(atomic_load_explicit(&signals.place, memory_order_relaxed),
                            signals.chosen);
}

int sampling_signal_wanted_action(int number, struct sigaction *action)
{
    const struct program_signal *own = &program_signals[number];
    if (!atomic_load(&own->has_ours))
        return real_sigaction(number, NULL, action);
    *action = own->action;
    return 0;
}

/* --- The handler --- */

/* A full queue leaves no word of who sent a signal. */
static bool cannot_be_told(const siginfo_t *info)
{
    return info->si_code == SI_USER && info->si_pid == 0;
}

/* Requests are sent to a thread by its own process. One that the program sent in another way while
 * a request is under way is no answer to it, and stays the program's. */
static bool may_be_request(const siginfo_t *info)
{
    return (info->si_code == SI_TKILL && info->si_pid == signals.owner) || cannot_be_told(info);
}

/* The snapshot to fill, or NULL when INFO is not of a signal by which somebody asked for one. */
static struct snapshot_copy *requested_snapshot(const struct thread_registration *self,
                                                const siginfo_t *info)
{
    struct snapshot_copy *snapshot = self != NULL ? atomic_load(&self->snapshot) : NULL;
    if (snapshot == NULL || atomic_load(&snapshot->state) != SNAPSHOT_REQUESTED ||
        atomic_load(&snapshot->signal_number) != info->si_signo || !may_be_request(info))
        return NULL;
    return snapshot;
}

bool sampling_signal_withdraw_request(const siginfo_t *info)
{
    if (clock_sampling_is_signal(info))
        return true;
    struct snapshot_copy *snapshot = requested_snapshot(thread_current, info);
    if (snapshot == NULL)
        return false;
    atomic_store(&snapshot->state, SNAPSHOT_EMPTY);
    return true;
}

static bool has_handler(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) ||
           (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

bool sampling_signal_is_handled_by_program(void)
{
    return has_handler(&program_signals[sampling_signal_number()].action);
}

static void call_program_action(int number, siginfo_t *info, void *context)
{
    struct program_signal *own = &program_signals[number];
    const struct sigaction action = own->action;
    if (!has_handler(&action))
        return;
    if (action.sa_flags & SA_RESETHAND)
        own->action = (struct sigaction){ .sa_handler = SIG_DFL };
    if (action.sa_flags & SA_SIGINFO)
        action.sa_sigaction(number, info, context);
    else
        action.sa_handler(number);
}

/* One that cannot be told may be a late one of ours. */
static void on_program_signal(int number, siginfo_t *info, void *context)
{
    bool is_ambiguous = cannot_be_told(info);
    if (is_ambiguous && core_own.has_arena)
        arena_count_drop(&core.arena, DROP_AMBIGUOUS_SIGNAL, 1);
    if (is_ambiguous || !thread_mask_put_back(number, info, context))
        call_program_action(number, info, context);
    else
        snapshot_restart_system_call(context);
}

static void take_own_sample(const siginfo_t *info, void *context)
{
    reunion_tick();
    groups_look();
    if (core_own.is_resting) {
        resting_tick();
        return;
    }
    if (dormancy_needs_tick() && !dormancy_tick(info))
        return;
    if (session_follow_word()) {
        clock_sampling_take(thread_current, info, context);
        process_title_follow();
        sampler_do_chores();
    } else {
        clock_sampling_skip(thread_current, info);
    }
    resting_follow_change();
}

/* With the flags of the program, where we left it the signal, we may be on a small stack. */
static void on_clock(int number, const siginfo_t *info, void *context)
{
    if (thread_current == NULL)
        return;
    if (number == sampling_signal_number())
        take_own_sample(info, context);
    thread_mask_settle_in_handler(context);
}

/* The kernel lets only the first thread of a process speak for itself and for kill(): others say
 * who sent the signal, but not how. */
void sampling_signal_send_again(int number, siginfo_t *info)
{
    bool is_own = info->si_code == SI_USER && info->si_pid == signals.owner;
    if (info->si_code == SI_TKILL) {
        (void)syscall(SYS_rt_tgsigqueueinfo, signals.owner, gettid(), number, info);
    } else if (is_own) {
        (void)kill(signals.owner, number);
    } else if (syscall(SYS_rt_sigqueueinfo, signals.owner, number, info) < 0) {
        info->si_code = SI_QUEUE;
        (void)syscall(SYS_rt_sigqueueinfo, signals.owner, number, info);
    }
}

/* The agent's thread may be the first that the kernel finds, but the signal is not for it. */
static void pass_on(int number, siginfo_t *info)
{
    if (info->si_code == SI_TKILL && info->si_pid == signals.owner)
        return; /* to this thread: it is to wake */
    sampling_signal_note_use(number);
    sampling_signal_send_again(number, info);
}

static void on_sampling_signal(int number, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    struct snapshot_copy *snapshot;
    if (only_wakes) {
        pass_on(number, info);
    } else if (clock_sampling_is_signal(info)) {
        on_clock(number, info, context);
        signal_stack_follow_in_handler(context);
        snapshot_restart_system_call(context);
    } else if ((snapshot = requested_snapshot(thread_current, info)) != NULL) {
        snapshot_capture(snapshot, thread_current, context);
        atomic_store_explicit(&snapshot->state, SNAPSHOT_TAKEN, memory_order_release);
        thread_mask_settle_in_handler(context);
        signal_stack_follow_in_handler(context);
        snapshot_restart_system_call(context);
    } else {
        on_program_signal(number, info, context);
    }
    errno = saved_errno;
}

/* --- What is in the kernel --- */

/* The lock is held for a few system calls by nobody who can be interrupted. */
static void lock_actions(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    (void)real_pthread_sigmask(SIG_SETMASK, &all, before); /* fails only for what is no mask */
    while (atomic_exchange(&signals.is_locked, true))
        (void)sched_yield();
}

static void unlock_actions(const sigset_t *before)
{
    atomic_store(&signals.is_locked, false);
    (void)real_pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Ours, for a signal that asks for samples. A handler of the program cuts calls short, and runs
 * on the stack, as it is to; what our signals cut short is made again
 * (snapshot_restart_system_call()). */
static struct sigaction sampling_action(const struct sigaction *wanted)
{
    int free_flags = SA_RESTART | SA_ONSTACK;
    int flags = has_handler(wanted) ? wanted->sa_flags & free_flags : free_flags;
    struct sigaction action = { .sa_sigaction = on_sampling_signal,
                                .sa_flags = SA_SIGINFO | flags };
    sigfillset(&action.sa_mask);
    return action;
}

/* Ours, for a signal that we left to the program: as it wants it. */
static struct sigaction left_action(const struct sigaction *wanted)
{
    if (!has_handler(wanted))
        return sampling_action(wanted);
    struct sigaction action = *wanted;
    action.sa_sigaction = on_sampling_signal;
    action.sa_flags = (wanted->sa_flags & ~(int)SA_RESETHAND) | SA_SIGINFO;
    return action;
}

/* Brings the kernel's action up to date. 0 or -errno. */
static int install(int number)
{
    struct program_signal *own = &program_signals[number];
    if (!atomic_load(&own->has_ours) && real_sigaction(number, NULL, &own->action) < 0)
        return -errno;
    const struct sigaction action = number == sampling_signal_number()
                                        ? sampling_action(&own->action)
                                        : left_action(&own->action);
    atomic_store(&own->has_ours, true);
    return real_sigaction(number, &action, NULL) < 0 ? -errno : 0;
}

/* The handler is there before anything asks for it. */
static void move_to(enum signal_place place)
{
    int before = sampling_signal_number();
    int number = signal_number_at(place, signals.chosen);
    bool needs_handler = signals.is_installed && number != before;
    if (needs_handler && !atomic_load(&program_signals[number].has_ours) && install(number) < 0)
        return;
    atomic_store(&signals.place, place);
    if (!needs_handler)
        return;
    (void)install(number); /* cannot fail for a signal that it was installed for */
    (void)install(before);
}

static void note_use_locked(int number)
{
    enum signal_place place = atomic_load(&signals.place);
    enum signal_place after = signal_place_after(place, signal_use_of(number, signals.chosen));
    if (after != place)
        move_to(after);
}

static bool is_unused(int number)
{
    return (sampling_signal_unused() & UINT64_C(1) << (number - 1)) != 0;
}

void sampling_signal_note_use(int number)
{
    sigset_t before;
    if (!is_unused(number))
        return;
    dormancy_end(); /* it is the clocks of a session that follow */
    lock_actions(&before);
    note_use_locked(number);
    unlock_actions(&before);
}

int sampling_signal_install(void)
{
    sigset_t before;
    int err = 0;
    lock_actions(&before);
    if (!signals.is_installed) {
        err = install(sampling_signal_number());
        signals.is_installed = err == 0;
    }
    unlock_actions(&before);
    return err;
}

static int set_action(int number, const struct sigaction *action, struct sigaction *old_action)
{
    struct program_signal *own = &program_signals[number];
    struct sigaction previous = own->action;
    if (action != NULL && has_handler(action))
        note_use_locked(number);
    if (!atomic_load(&own->has_ours))
        return real_sigaction(number, action, old_action);
    if (action != NULL) {
        own->action = *action;
        (void)install(number); /* cannot fail for a signal that it was installed for */
    }
    if (old_action != NULL)
        *old_action = previous;
    return 0;
}

int sampling_signal_program_action(int number, const struct sigaction *action,
                                   struct sigaction *old_action)
{
    sigset_t before;
    struct sigaction wanted, old; /* the program's may be no addresses: not under the lock */
    if (action != NULL)
        wanted = *action;
    if (action != NULL && has_handler(&wanted) && is_unused(number))
        dormancy_end();
    lock_actions(&before);
    int result = set_action(number, action != NULL ? &wanted : NULL, &old);
    int call_errno = errno;
    unlock_actions(&before);
    thread_mask_settle();
    errno = call_errno;
    if (result == 0 && old_action != NULL)
        *old_action = old;
    return result;
}

/* A handler that was there before us, or a mask that came along from before the exec, is a use. */
static void note_inherited_use(int number, const sigset_t *mask)
{
    struct sigaction action;
    bool is_handled = real_sigaction(number, NULL, &action) == 0 && has_handler(&action);
    bool is_meant = sigismember(mask, number) == 1 && !signal_set_is_general(mask);
    if (is_handled || is_meant)
        note_use_locked(number);
}

void sampling_signal_initialize(int chosen)
{
    sigset_t mask;
    signals.chosen = chosen;
    signals.owner = getpid();
    atomic_store(&signals.place, chosen != 0 ? SIGNAL_CHOSEN : SIGNAL_AT_FIRST);
    if (real_pthread_sigmask(SIG_BLOCK, NULL, &mask) != 0)
        return;
    uint64_t ours = sampling_signal_unused();
    for (; ours != 0; ours &= ours - 1)
        note_inherited_use(__builtin_ctzll(ours) + 1, &mask);
}

/* --- The agent's own thread --- */

void sampling_signal_only_wakes(void)
{
    only_wakes = true;
}

void sampling_signal_waking_mask(sigset_t *mask)
{
    sigfillset(mask);
    if (!sampling_signal_is_shared())
        sigdelset(mask, sampling_signal_number());
}
