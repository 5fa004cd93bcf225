#include "child-agent/sampler/program_handlers.h"

#include <stdatomic.h>
#include <stddef.h>

#include "child-agent/core.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/guest/signal_bits.h"
#include "child-agent/guest/signal_lock.h"
#include "child-agent/sampler/interrupted_call.h"
#include "child-agent/sampler/program_signal.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/sampler/small_stacks.h"

/* As the program set them, by number; changed under the lock. */
static struct program_signal wanted_actions[NSIG];

static struct signal_lock lock;

static void call_program_handler(int number, siginfo_t *info, void *context)
{
    /* One that wants fewer arguments gets more. */
    program_signal_action(&wanted_actions[number]).sa_sigaction(number, info, context);
    interrupted_call_keep(context);
}

static bool comes_by_itself(int number)
{
    return number != SIGSEGV && number != SIGBUS && number != SIGFPE && number != SIGILL &&
           number != SIGTRAP && number != SIGSYS && number != SIGABRT;
}

/* What the kernel is to have for ACTION of the program. */
static struct sigaction action_to_install(int number, const struct sigaction *action)
{
    struct sigaction installed = *action;
    if (!sampling_signal_has_handler(action))
        return installed;
    if ((action->sa_flags & SA_ONSTACK) && small_stacks_exist())
        signal_bits_add(&installed.sa_mask, sampling_signal_present());
    if (comes_by_itself(number)) {
        installed.sa_sigaction = call_program_handler;
        installed.sa_flags |= SA_SIGINFO;
    }
    return installed;
}

static bool is_valid(int number)
{
    return number > 0 && number < NSIG;
}

static uint64_t kernel_mask(const struct sigaction *action)
{
    return signal_bits_blockable(signal_bits_of(&action->sa_mask));
}

/* Whether the kernel has OLD from us for what the program WANTED, and not from the program, past
 * the C library. */
static bool is_installed_for(int number, const struct sigaction *wanted,
                             const struct sigaction *old)
{
    const struct sigaction installed = action_to_install(number, wanted);
    return old->sa_sigaction == installed.sa_sigaction &&
           (old->sa_sigaction == call_program_handler ||
            kernel_mask(old) == kernel_mask(&installed));
}

/* Whether OLD is what the kernel left of WANTED when its only signal came. */
static bool is_reset(int number, const struct sigaction *wanted, const struct sigaction *old)
{
    return old->sa_handler == SIG_DFL && (old->sa_flags & (int)SA_RESETHAND) &&
           (wanted->sa_flags & (int)SA_RESETHAND) && comes_by_itself(number);
}

/* What the kernel has as OLD, as the program WANTED it. */
static void translate_old(int number, const struct sigaction *wanted, struct sigaction *old)
{
    bool is_ours = sampling_signal_has_handler(old) && is_installed_for(number, wanted, old);
    if ((is_ours || is_reset(number, wanted, old)) && !(wanted->sa_flags & SA_SIGINFO))
        old->sa_flags &= ~(int)SA_SIGINFO;
    if (!is_ours)
        return;
    old->sa_sigaction = wanted->sa_sigaction;
    old->sa_mask = signal_bits_set(kernel_mask(wanted));
}

/* What sets no handler needs no lock: what the kernel has is what decides. */
static int set_locked(int number, const struct sigaction *action, struct sigaction *old)
{
    const struct sigaction before = program_signal_action(&wanted_actions[number]);
    struct sigaction wanted = *action;
    if (wanted.sa_sigaction == call_program_handler) /* which the kernel told it of */
        wanted.sa_sigaction = before.sa_sigaction;
    const struct sigaction installed = action_to_install(number, &wanted);
    program_signal_set(&wanted_actions[number], &wanted);
    if (real_sigaction(number, &installed, old) < 0) {
        program_signal_set(&wanted_actions[number], &before);
        return -1;
    }
    translate_old(number, &before, old);
    return 0;
}

static int set_plainly(int number, const struct sigaction *action, struct sigaction *old_action)
{
    int result = real_sigaction(number, action, old_action);
    if (result == 0 && old_action != NULL) {
        const struct sigaction wanted = program_signal_action(&wanted_actions[number]);
        translate_old(number, &wanted, old_action);
    }
    return result;
}

/* One that is there already, if it has all FLAGS. */
static void change_locked(int number, int flags)
{
    struct sigaction action, old;
    if (!sampling_signal_may_be(number) && set_plainly(number, NULL, &action) == 0 &&
        sampling_signal_has_handler(&action) && (action.sa_flags & flags) == flags)
        (void)set_locked(number, &action, &old); /* cannot fail for an action that was set */
}

/* What is undone when the lock is released. */
struct turn {
    bool has_mask;
    sigset_t mask;
};

/* Where a filter of system calls may be in place, no more calls are made than the program makes:
 * then a handler that interrupts this one may find the lock held. False when it is. */
static bool take_turn(struct turn *turn)
{
    turn->has_mask = !atomic_load(&core.is_filtered);
    if (!turn->has_mask)
        return signal_lock_try(&lock);
    signal_lock_take(&lock, &turn->mask);
    return true;
}

static void end_turn(const struct turn *turn)
{
    if (turn->has_mask)
        signal_lock_release(&lock, &turn->mask);
    else
        signal_lock_reset(&lock);
}

/* Whether handlers are to be changed: a child that has this process' memory has actions of its
 * own. */
static bool are_to_be_changed(int number)
{
    return core.is_enabled && is_valid(number) && !sampling_signal_may_be(number) &&
           !atomic_load(&core.lost_sampling) && sampling_signal_is_own_process();
}

int program_handlers_set(int number, const struct sigaction *action, struct sigaction *old_action)
{
    struct sigaction wanted, old; /* the program's may be no addresses: not under the lock */
    struct turn turn;
    if (action == NULL || !sampling_signal_has_handler(action) || !are_to_be_changed(number))
        return set_plainly(number, action, old_action);
    wanted = *action;
    if (!take_turn(&turn))
        return set_plainly(number, action, old_action);
    int result = set_locked(number, &wanted, &old);
    end_turn(&turn);
    if (result == 0 && old_action != NULL)
        *old_action = old;
    return result;
}

__sighandler_t program_handlers_set_simply(simple_setter *real, int number, __sighandler_t handler)
{
    struct turn turn;
    struct sigaction old = { .sa_handler = real(number, handler) };
    if (old.sa_handler == SIG_ERR)
        return SIG_ERR;
    if (old.sa_sigaction == call_program_handler)
        old.sa_sigaction = program_signal_action(&wanted_actions[number]).sa_sigaction;
    if (are_to_be_changed(number) && take_turn(&turn)) {
        change_locked(number, 0);
        end_turn(&turn);
    }
    return old.sa_handler;
}

void program_handlers_note_stack(size_t bytes)
{
    struct turn turn;
    if (!sampling_signal_is_own_process() || !small_stacks_note(bytes) || !take_turn(&turn))
        return;
    for (int number = 1; number < NSIG; number++)
        change_locked(number, SA_ONSTACK);
    end_turn(&turn);
    sampling_signal_renew_actions();
}

void program_handlers_after_fork_child(void)
{
    signal_lock_reset(&lock);
}
