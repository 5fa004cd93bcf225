#include "child-agent/sampler/sampling_signal.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "child-agent/core.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/guest/signal_bits.h"
#include "child-agent/guest/signal_lock.h"
#include "child-agent/sampler/sampling_signal_inside.h"
#include "child-agent/sampler/signal_choice.h"
#include "child-agent/sampler/small_stacks.h"
#include "child-agent/sampler/thread_mask.h"
#include "child-agent/upcalls.h"
#include "common/apart.h"

static struct {
    int chosen;  /* by the user; 0: nobody */
    pid_t owner; /* the process, but for children that it shares memory with */
    _Atomic enum signal_place place;
    struct signal_lock lock;
    _Atomic bool is_unasked; /* whose process calls: a filter forbids to ask */
    bool is_installed;
    bool blocks_children;          /* the handler is to block SIGCHLD, which the program handles */
    _Atomic bool blocked_children; /* the kernel has been told */
    unsigned laid_down;            /* how often, by threads that are running programs */
} signals = { .place = SIGNAL_AT_FIRST };

LARGE_APART struct program_signal program_signals[NSIG];

void sampling_signal_after_fork_child(void)
{
    signals.owner = getpid();
    signal_lock_reset(&signals.lock);
    signals.laid_down = 0;
    signal_descriptors_forget();
}

pid_t sampling_signal_owner(void)
{
    return signals.owner;
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
    return atomic_load(&signals.is_unasked) || getpid() == signals.owner;
}

void sampling_signal_take_for_own_process(void)
{
    atomic_store(&signals.is_unasked, true);
}

bool sampling_signal_may_be(int number)
{
    return signal_use_of(number, signals.chosen) != USES_NONE_OF_OURS;
}

uint64_t sampling_signal_ever(void)
{
    uint64_t bits = 0;
    for (int number = 1; number < NSIG; number++)
        if (sampling_signal_may_be(number))
            bits |= signal_bit(number);
    return bits;
}

uint64_t sampling_signal_present(void)
{
    return sampling_signal_unused() | signal_bit(sampling_signal_number());
}

uint64_t sampling_signal_unused(void)
{
    if (atomic_load_explicit(&core.has_filter, memory_order_relaxed))
        return 0;
    return signal_unused_at(atomic_load_explicit(&signals.place, memory_order_relaxed),
                            signals.chosen);
}

int sampling_signal_wanted_action(int number, struct sigaction *action)
{
    const struct program_signal *own = &program_signals[number];
    if (!atomic_load(&own->has_ours))
        return real_sigaction(number, NULL, action);
    *action = program_signal_action(own);
    return 0;
}

void sampling_signal_hide_own_action(int number, struct sigaction *action)
{
    if (action->sa_sigaction == sampling_signal_handle)
        *action = program_signal_action(&program_signals[number]);
}

bool sampling_signal_is_handled_by_program(void)
{
    const struct sigaction action =
        program_signal_action(&program_signals[sampling_signal_number()]);
    return sampling_signal_has_handler(&action);
}

/* Ours, for a signal that asks for samples. A handler of the program cuts calls short, and runs
 * on the stack, as it is to; what our signals cut short is made again
 * (interrupted_call_settle()).
 *
 * No other handler runs while ours does, nor that of the C library which ends a thread that is
 * cancelled in the midst of a call: what our handler holds would be held for ever. But SIGCHLD is
 * let in unless the program handles it: while the thread that forked blocks it, the kernel keeps it
 * instead of forgetting it, and wakes another thread for it, whose epoll_wait() then fails with
 * EINTR. */
static struct sigaction sampling_action(const struct sigaction *wanted)
{
    int free_flags = SA_RESTART | SA_ONSTACK;
    int flags = sampling_signal_has_handler(wanted) ? wanted->sa_flags & free_flags : free_flags;
    struct sigaction action = { .sa_sigaction = sampling_signal_handle,
                                .sa_flags = SA_SIGINFO | flags };
    action.sa_mask = signal_bits_set(UINT64_MAX);
    if (!signals.blocks_children)
        sigdelset(&action.sa_mask, SIGCHLD);
    return action;
}

/* Ours, for a signal that we left to the program: as it wants it. */
static struct sigaction left_action(const struct sigaction *wanted)
{
    if (!sampling_signal_has_handler(wanted))
        return sampling_action(wanted);
    struct sigaction action = *wanted;
    action.sa_sigaction = sampling_signal_handle;
    action.sa_flags = (wanted->sa_flags & ~(int)SA_RESETHAND) | SA_SIGINFO;
    if (sampling_signal_lacks_room(wanted))
        sigaddset(&action.sa_mask, sampling_signal_number());
    return action;
}

bool sampling_signal_lacks_room(const struct sigaction *action)
{
    return (action->sa_flags & SA_ONSTACK) && small_stacks_exist();
}

static bool is_ignored(const struct sigaction *action)
{
    return action->sa_handler == SIG_IGN; /* whatever the flags */
}

/* What the kernel is to do with NUMBER, with which the program wants what WANTED says. */
static struct sigaction kernel_action(int number, const struct sigaction *wanted, bool is_laid_down)
{
    if (is_laid_down && is_ignored(wanted))
        return *wanted;
    return number == sampling_signal_number() ? sampling_action(wanted) : left_action(wanted);
}

/* Brings the kernel's action up to date. 0 or -errno. */
static int install_action(int number)
{
    struct program_signal *own = &program_signals[number];
    struct sigaction wanted = program_signal_action(own);
    if (!atomic_load(&own->has_ours)) {
        if (real_sigaction(number, NULL, &wanted) < 0)
            return -errno;
        program_signal_set(own, &wanted);
    }
    const struct sigaction action = kernel_action(number, &wanted, signals.laid_down != 0);
    atomic_store(&own->has_ours, true);
    return real_sigaction(number, &action, NULL) < 0 ? -errno : 0;
}

/* The handler is there before anything asks for it. */
static void move_signal(enum signal_place place)
{
    int before = sampling_signal_number();
    int number = signal_number_at(place, signals.chosen);
    bool needs_handler = signals.is_installed && number != before;
    if (needs_handler && !atomic_load(&program_signals[number].has_ours) &&
        install_action(number) < 0)
        return;
    atomic_store(&signals.place, place);
    if (!needs_handler)
        return;
    (void)install_action(number); /* cannot fail for a signal that it was installed for */
    (void)install_action(before);
}

static bool is_unused(int number)
{
    return (sampling_signal_unused() & signal_bit(number)) != 0;
}

/* What the program does not mean when it asks for all signals. */
static uint64_t left_out_signal(void)
{
    return sampling_signal_unused() & signal_bit(sampling_signal_number());
}

static void note_use_locked(int number)
{
    if (!is_unused(number))
        return;
    enum signal_place place = atomic_load(&signals.place);
    enum signal_place after = signal_place_after(place, signal_use_of(number, signals.chosen));
    if (after == place)
        return;
    move_signal(after);
    signal_descriptors_change(left_out_signal());
}

void sampling_signal_note_use(int number)
{
    sigset_t before;
    if (!is_unused(number))
        return;
    upcall_end_dormancy(); /* it is the clocks of a session that follow */
    signal_lock_take(&signals.lock, &before);
    note_use_locked(number);
    signal_lock_release(&signals.lock, &before);
}

static bool handles_children(void)
{
    struct sigaction action;
    return real_sigaction(SIGCHLD, NULL, &action) < 0 || sampling_signal_has_handler(&action);
}

int sampling_signal_install(void)
{
    sigset_t before;
    int error = 0;
    signal_lock_take(&signals.lock, &before);
    if (!signals.is_installed) {
        signals.blocks_children = signals.blocks_children || handles_children();
        error = install_action(sampling_signal_number());
        signals.is_installed = error == 0;
    }
    signal_lock_release(&signals.lock, &before);
    return error;
}

static void renew_locked(void)
{
    for (int number = 1; number < NSIG; number++)
        if (atomic_load(&program_signals[number].has_ours))
            (void)install_action(number); /* cannot fail for a signal that it was installed for */
}

void sampling_signal_renew_actions(void)
{
    sigset_t before;
    signal_lock_take(&signals.lock, &before);
    renew_locked();
    signal_lock_release(&signals.lock, &before);
}

void sampling_signal_prepare_for_children(void)
{
    sigset_t before;
    if (atomic_load(&signals.blocked_children) || !sampling_signal_is_own_process())
        return;
    signal_lock_take(&signals.lock, &before);
    if (!signals.blocks_children) {
        signals.blocks_children = true;
        renew_locked();
    }
    atomic_store(&signals.blocked_children, true);
    signal_lock_release(&signals.lock, &before);
}

/* --- Programs that inherit what is ignored --- */

static bool has_ours_ignored(int number)
{
    const struct program_signal *own = &program_signals[number];
    const struct sigaction wanted = program_signal_action(own);
    return atomic_load(&own->has_ours) && is_ignored(&wanted);
}

static bool are_any_ignored(void)
{
    for (int number = 1; number < NSIG; number++)
        if (has_ours_ignored(number))
            return true;
    return false;
}

static void renew_ignored(bool is_laid_down)
{
    for (int number = 1; number < NSIG; number++) {
        if (!has_ours_ignored(number))
            continue;
        const struct sigaction wanted = program_signal_action(&program_signals[number]);
        const struct sigaction action = kernel_action(number, &wanted, is_laid_down);
        (void)real_sigaction(number, &action, NULL); /* cannot fail: it was set before */
    }
}

/* A child that shares our memory has actions of its own in the kernel: it counts for nobody. */
static void change_lay_down_count(int change)
{
    sigset_t before;
    if (!sampling_signal_is_own_process()) {
        renew_ignored(change > 0);
        return;
    }
    signal_lock_take(&signals.lock, &before);
    signals.laid_down += (unsigned)change;
    renew_ignored(signals.laid_down != 0);
    signal_lock_release(&signals.lock, &before);
}

bool sampling_signal_lay_down(void)
{
    if (!are_any_ignored())
        return false;
    change_lay_down_count(1);
    return true;
}

void sampling_signal_take_up(void)
{
    change_lay_down_count(-1);
}

static int set_action(int number, const struct sigaction *action, struct sigaction *old_action)
{
    struct program_signal *own = &program_signals[number];
    const struct sigaction previous = program_signal_action(own);
    if (action != NULL && sampling_signal_has_handler(action))
        note_use_locked(number);
    if (!atomic_load(&own->has_ours))
        return real_sigaction(number, action, old_action);
    if (action != NULL) {
        program_signal_set(own, action);
        (void)install_action(number); /* cannot fail for a signal that it was installed for */
    }
    if (old_action != NULL)
        *old_action = previous;
    return 0;
}

void sampling_signal_reset_action(int number)
{
    static const struct sigaction none = { .sa_handler = SIG_DFL };
    sigset_t before;
    signal_lock_take(&signals.lock, &before);
    program_signal_set(&program_signals[number], &none);
    signal_lock_release(&signals.lock, &before);
}

int sampling_signal_program_action(int number, const struct sigaction *action,
                                   struct sigaction *old_action)
{
    sigset_t before;
    struct sigaction wanted, old; /* the program's may be no addresses: not under the lock */
    if (action != NULL)
        wanted = *action;
    if (action != NULL && sampling_signal_has_handler(&wanted) && is_unused(number))
        upcall_end_dormancy();
    signal_lock_take(&signals.lock, &before);
    int result = set_action(number, action != NULL ? &wanted : NULL, &old);
    int call_errno = errno;
    signal_lock_release(&signals.lock, &before);
    thread_mask_settle();
    errno = call_errno;
    if (result == 0 && old_action != NULL)
        *old_action = old;
    return result;
}

/* Where the caller has the signal blocked indeed, it is the program's that comes by it. */
int sampling_signal_program_descriptor(signalfd_function *real, int fd, const sigset_t *set,
                                       int flags)
{
    sigset_t before;
    signal_lock_take(&signals.lock, &before);
    const struct left_out_signals left_out = {
        .now = left_out_signal() & ~signal_bits_of(&before),
        .ever = sampling_signal_ever(),
    };
    int made = signal_descriptors_make(real, fd, set, flags, &left_out);
    int call_errno = errno;
    signal_lock_release(&signals.lock, &before);
    errno = call_errno;
    return made;
}

/* A handler that was there before us, or a mask that came along from before the exec, is a use. */
static void note_inherited_use(int number, const sigset_t *mask)
{
    struct sigaction action;
    bool is_handled =
        real_sigaction(number, NULL, &action) == 0 && sampling_signal_has_handler(&action);
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
