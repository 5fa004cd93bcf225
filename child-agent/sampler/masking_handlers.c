#include "child-agent/sampler/masking_handlers.h"

#include <stdatomic.h>
#include <stddef.h>

#include "child-agent/guest/real_calls.h"
#include "child-agent/guest/signal_bits.h"
#include "child-agent/guest/signal_lock.h"
#include "child-agent/sampler/program_signal.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/sampler/small_stacks.h"
#include "common/apart.h"

/* By number. */
static struct masking_handler {
    _Atomic bool is_changed;    /* the kernel has another action than the program set */
    struct sigaction action;    /* as the program set it; under the lock */
    struct sigaction installed; /* as the kernel has it; likewise */
} handlers[NSIG] LARGE_APART;

static struct signal_lock lock;

/* What the kernel is to have for ACTION of the program. */
static struct sigaction action_to_install(const struct sigaction *action)
{
    struct sigaction installed = *action;
    if (sampling_signal_has_handler(action) && (action->sa_flags & SA_ONSTACK) &&
        small_stacks_exist())
        signal_bits_add(&installed.sa_mask, sampling_signal_present());
    return installed;
}

static bool is_same_action(const struct sigaction *one, const struct sigaction *other)
{
    return one->sa_sigaction == other->sa_sigaction && one->sa_flags == other->sa_flags &&
           signal_bits_of(&one->sa_mask) == signal_bits_of(&other->sa_mask);
}

static bool is_to_be_changed(const struct sigaction *action)
{
    const struct sigaction installed = action_to_install(action);
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
static bool is_installed(const struct masking_handler *entry, const struct sigaction *old)
{
    return atomic_load(&entry->is_changed) && old->sa_sigaction == entry->installed.sa_sigaction &&
           kernel_mask(old) == kernel_mask(&entry->installed);
}

/* What the kernel has as OLD, as the program set it. */
static void translate_old(const struct masking_handler *entry, struct sigaction *old)
{
    if (is_installed(entry, old))
        old->sa_mask = signal_bits_set(kernel_mask(&entry->action));
}

static int set_locked(int number, const struct sigaction *action, struct sigaction *old)
{
    struct masking_handler *entry = &handlers[number];
    const struct sigaction installed = action_to_install(action);

    if (real_sigaction(number, &installed, old) < 0)
        return -1;
    translate_old(entry, old);
    entry->action = *action;
    entry->installed = installed;
    atomic_store(&entry->is_changed, !is_same_action(&installed, action));
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
        is_to_be_changed(&action))
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

int masking_handlers_set(int number, const struct sigaction *action, struct sigaction *old_action)
{
    struct sigaction wanted, old; /* the program's may be no addresses: not under the lock */
    sigset_t before;
    bool concerns_us = is_valid(number) && (masking_handlers_have(number) ||
                                            (action != NULL && is_to_be_changed(action)));

    if (!concerns_us)
        return set_unchanged(number, action, old_action);
    if (!sampling_signal_is_own_process())
        return real_sigaction(number, action, old_action);
    if (action != NULL)
        wanted = *action;
    signal_lock_take(&lock, &before);
    int result = action != NULL ? set_locked(number, &wanted, &old) : get_locked(number, &old);
    signal_lock_release(&lock, &before);
    if (result == 0 && old_action != NULL)
        *old_action = old;
    return result;
}

bool masking_handlers_have(int number)
{
    return is_valid(number) && atomic_load(&handlers[number].is_changed);
}

void masking_handlers_note_stack(size_t bytes)
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

void masking_handlers_after_fork_child(void)
{
    signal_lock_reset(&lock);
}
