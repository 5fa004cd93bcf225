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

typedef void signal_handler(int number, siginfo_t *info, void *context);

/* By number. */
static struct program_handler {
    _Atomic bool is_changed;         /* the kernel has another action than the program set */
    signal_handler *_Atomic handler; /* the program's; one that wants fewer arguments gets more */
    struct program_signal wanted;    /* as the program set it; changed under the lock */
    struct sigaction installed;      /* as the kernel has it; under the lock */
} handlers[NSIG];

static struct signal_lock lock;

static void call_program_handler(int number, siginfo_t *info, void *context)
{
    signal_handler *handler = atomic_load(&handlers[number].handler);
    handler(number, info, context);
    interrupted_call_keep(context);
}

static bool comes_by_itself(int number)
{
    return number != SIGSEGV && number != SIGBUS && number != SIGFPE && number != SIGILL &&
           number != SIGTRAP && number != SIGSYS;
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

static bool is_same_action(const struct sigaction *one, const struct sigaction *other)
{
    return one->sa_sigaction == other->sa_sigaction && one->sa_flags == other->sa_flags &&
           signal_bits_of(&one->sa_mask) == signal_bits_of(&other->sa_mask);
}

static bool is_to_be_changed(int number, const struct sigaction *action)
{
    const struct sigaction installed = action_to_install(number, action);
    return !is_same_action(&installed, action);
}

static bool is_valid(int number)
{
    return number > 0 && number < NSIG;
}

static uint64_t kernel_mask(const struct sigaction *action)
{
    return signal_bits_blockable(signal_bits_of(&action->sa_mask));
}

/* Whether the kernel has OLD from us, and not from the program, past the C library. */
static bool is_installed(const struct program_handler *entry, const struct sigaction *old)
{
    return atomic_load(&entry->is_changed) && old->sa_sigaction == entry->installed.sa_sigaction &&
           kernel_mask(old) == kernel_mask(&entry->installed);
}

/* What the kernel has as OLD, which is ours, as the program set it. */
static void restore_wanted(const struct program_handler *entry, struct sigaction *old)
{
    const struct sigaction wanted = program_signal_action(&entry->wanted);
    old->sa_sigaction = wanted.sa_sigaction;
    old->sa_mask = signal_bits_set(kernel_mask(&wanted));
    if (!(wanted.sa_flags & SA_SIGINFO))
        old->sa_flags &= ~(int)SA_SIGINFO;
}

static void translate_old(const struct program_handler *entry, struct sigaction *old)
{
    if (is_installed(entry, old))
        restore_wanted(entry, old);
}

static int set_locked(int number, const struct sigaction *action, struct sigaction *old)
{
    struct program_handler *entry = &handlers[number];
    struct sigaction wanted = *action;
    if (wanted.sa_sigaction == call_program_handler) /* which it asked the kernel for */
        wanted.sa_sigaction = program_signal_action(&entry->wanted).sa_sigaction;
    const struct sigaction installed = action_to_install(number, &wanted);
    signal_handler *handler_before = atomic_load(&entry->handler);

    if (installed.sa_sigaction == call_program_handler)
        atomic_store(&entry->handler, wanted.sa_sigaction);
    if (real_sigaction(number, &installed, old) < 0) {
        atomic_store(&entry->handler, handler_before);
        return -1;
    }
    translate_old(entry, old);
    program_signal_set(&entry->wanted, &wanted);
    entry->installed = installed;
    atomic_store(&entry->is_changed, !is_same_action(&installed, &wanted));
    return 0;
}

static int get_locked(int number, struct sigaction *old)
{
    int result = real_sigaction(number, NULL, old);
    if (result == 0)
        translate_old(&handlers[number], old);
    return result;
}

/* Those that are there already. */
static void change_locked(int number)
{
    struct sigaction action, old;
    if (!sampling_signal_may_be(number) && get_locked(number, &action) == 0 &&
        is_to_be_changed(number, &action))
        (void)set_locked(number, &action, &old); /* cannot fail for an action that was set */
}

/* For ACTION of NUMBER, which was not to be changed. Another thread may get the first small stack
 * meanwhile, and changes only what it finds. */
static int set_unchanged(int number, const struct sigaction *action, struct sigaction *old_action)
{
    sigset_t before;
    bool had_small_stacks = small_stacks_exist();
    int result = real_sigaction(number, action, old_action);
    if (result == 0 && action != NULL && !had_small_stacks && small_stacks_exist()) {
        signal_lock_take(&lock, &before);
        change_locked(number);
        signal_lock_release(&lock, &before);
    }
    return result;
}

/* Whether handlers are to be changed: a child that has this process' memory has actions of its own,
 * and behind some filters no more calls may be made than the program makes. */
static bool are_to_be_changed(void)
{
    return !atomic_load(&core.lost_sampling) && sampling_signal_is_own_process();
}

int program_handlers_set_plainly(int number, const struct sigaction *action,
                                 struct sigaction *old_action)
{
    int result = real_sigaction(number, action, old_action);
    if (result == 0 && old_action != NULL && old_action->sa_sigaction == call_program_handler)
        restore_wanted(&handlers[number], old_action);
    return result;
}

int program_handlers_set(int number, const struct sigaction *action, struct sigaction *old_action)
{
    struct sigaction wanted, old; /* the program's may be no addresses: not under the lock */
    sigset_t before;
    bool concerns_us = is_valid(number) && (program_handlers_have(number) ||
                                            (action != NULL && is_to_be_changed(number, action)));

    if (!are_to_be_changed())
        return program_handlers_set_plainly(number, action, old_action);
    if (!concerns_us)
        return set_unchanged(number, action, old_action);
    if (action != NULL)
        wanted = *action;
    signal_lock_take(&lock, &before);
    int result = action != NULL ? set_locked(number, &wanted, &old) : get_locked(number, &old);
    signal_lock_release(&lock, &before);
    if (result == 0 && old_action != NULL)
        *old_action = old;
    return result;
}

/* What was before is asked for first: the C library tells of no more than a handler. */
static __sighandler_t set_simply_locked(simple_setter *real, int number, __sighandler_t handler)
{
    struct sigaction old;
    if (get_locked(number, &old) < 0 || real(number, handler) == SIG_ERR)
        return SIG_ERR;
    atomic_store(&handlers[number].is_changed, false);
    change_locked(number);
    return old.sa_handler;
}

__sighandler_t program_handlers_set_simply_plainly(simple_setter *real, int number,
                                                   __sighandler_t handler)
{
    struct sigaction old = { .sa_handler = real(number, handler) };
    if (old.sa_sigaction == call_program_handler)
        restore_wanted(&handlers[number], &old);
    return old.sa_handler;
}

__sighandler_t program_handlers_set_simply(simple_setter *real, int number, __sighandler_t handler)
{
    sigset_t before;
    if (!is_valid(number) || !are_to_be_changed())
        return program_handlers_set_simply_plainly(real, number, handler);
    signal_lock_take(&lock, &before);
    __sighandler_t old = set_simply_locked(real, number, handler);
    signal_lock_release(&lock, &before);
    return old;
}

bool program_handlers_have(int number)
{
    return is_valid(number) && atomic_load(&handlers[number].is_changed);
}

void program_handlers_note_stack(size_t bytes)
{
    sigset_t before;
    if (!sampling_signal_is_own_process() || !small_stacks_note(bytes))
        return;
    signal_lock_take(&lock, &before);
    for (int number = 1; number < NSIG; number++)
        change_locked(number);
    signal_lock_release(&lock, &before);
    sampling_signal_renew_actions();
}

void program_handlers_after_fork_child(void)
{
    signal_lock_reset(&lock);
}
