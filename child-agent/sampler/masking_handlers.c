#include "child-agent/sampler/masking_handlers.h"

#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <ucontext.h>

#include "buffer/clock.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/sampler/sampling_signal.h"

typedef void signal_handler(int number, siginfo_t *info, void *context);

/* By number. */
static struct masking_handler {
    _Atomic bool is_called_by_ours;
    signal_handler *_Atomic handler; /* the program's; one that wants fewer arguments gets more */
    struct sigaction action;         /* as the program set it; under the lock */
} handlers[NSIG];

static _Atomic bool is_locked;

/* Where the last one returned to, and when; of the calling thread. */
static __thread struct {
    uint64_t pc, stack_address, ticks;
} last_return;

/* A few milliseconds. The way back through the kernel takes microseconds, but for a thread that
 * loses its processor there; and who was cut short so recently expects it. */
static const uint64_t JUST_TICKS = 10 * 1000 * 1000;

static void lock_handlers(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    (void)real_pthread_sigmask(SIG_SETMASK, &all, before); /* fails only for what is no mask */
    while (atomic_exchange(&is_locked, true))
        (void)sched_yield();
}

static void unlock_handlers(const sigset_t *before)
{
    atomic_store(&is_locked, false);
    (void)real_pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Nobody may ask for the time in a process that forbade itself to read the TSC. */
static uint64_t ticks_if_allowed(void)
{
    return clock_is_tsc() ? clock_ticks() : 0;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    signal_handler *handler = atomic_load(&handlers[number].handler);

    handler(number, info, context);
    last_return.pc = (uint64_t)registers[REG_RIP];
    last_return.stack_address = (uint64_t)registers[REG_RSP];
    last_return.ticks = ticks_if_allowed();
}

static bool blocks_ours(const struct sigaction *action)
{
    for (int number = 1; number < NSIG; number++)
        if (sampling_signal_may_be(number) && sigismember(&action->sa_mask, number) == 1)
            return true;
    return false;
}

static bool comes_by_itself(int number)
{
    return number != SIGSEGV && number != SIGBUS && number != SIGFPE && number != SIGILL &&
           number != SIGTRAP && number != SIGSYS;
}

static bool is_to_be_called_by_ours(int number, const struct sigaction *action)
{
    bool is_handler = (action->sa_flags & SA_SIGINFO) ||
                      (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
    return is_handler && comes_by_itself(number) && blocks_ours(action);
}

static bool is_valid(int number)
{
    return number > 0 && number < NSIG;
}

/* What the kernel has as OLD, as the program set it. */
static void translate_old(const struct masking_handler *entry, struct sigaction *old)
{
    if (atomic_load(&entry->is_called_by_ours) && old->sa_sigaction == on_signal)
        *old = entry->action;
}

static int set_locked(int number, const struct sigaction *action, struct sigaction *old)
{
    struct masking_handler *entry = &handlers[number];
    struct sigaction installed = *action;
    signal_handler *handler_before = atomic_load(&entry->handler);
    bool is_ours = is_to_be_called_by_ours(number, action);

    if (is_ours) {
        atomic_store(&entry->handler, action->sa_sigaction);
        installed.sa_sigaction = on_signal;
        installed.sa_flags |= SA_SIGINFO;
    }
    if (real_sigaction(number, &installed, old) < 0) {
        atomic_store(&entry->handler, handler_before);
        return -1;
    }
    translate_old(entry, old);
    entry->action = *action;
    atomic_store(&entry->is_called_by_ours, is_ours);
    return 0;
}

static int get_locked(int number, struct sigaction *old)
{
    int result = real_sigaction(number, NULL, old);
    if (result == 0)
        translate_old(&handlers[number], old);
    return result;
}

int masking_handlers_set(int number, const struct sigaction *action, struct sigaction *old_action)
{
    struct sigaction wanted, old; /* the program's may be no addresses: not under the lock */
    sigset_t before;
    bool concerns_us =
        is_valid(number) && (masking_handlers_have(number) ||
                             (action != NULL && is_to_be_called_by_ours(number, action)));

    if (!concerns_us || !sampling_signal_is_own_process())
        return real_sigaction(number, action, old_action);
    if (action != NULL)
        wanted = *action;
    lock_handlers(&before);
    int result = action != NULL ? set_locked(number, &wanted, &old) : get_locked(number, &old);
    unlock_handlers(&before);
    if (result == 0 && old_action != NULL)
        *old_action = old;
    return result;
}

bool masking_handlers_have(int number)
{
    return is_valid(number) && atomic_load(&handlers[number].is_called_by_ours);
}

bool masking_handlers_returned_to(uint64_t pc, uint64_t stack_address)
{
    if (last_return.pc != pc || last_return.stack_address != stack_address)
        return false;
    if (!clock_is_tsc())
        last_return.pc = 0; /* told once, where nobody knows for how long it holds */
    return ticks_if_allowed() - last_return.ticks < JUST_TICKS;
}

void masking_handlers_after_fork_child(void)
{
    atomic_store(&is_locked, false);
}
