/* Interposed: signal(), its other names, and its relatives, which the C library makes of calls that
 * no interposed function sees. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "child-agent/core.h"
#include "child-agent/guest/interpose.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/guest/signal_bits.h"
#include "child-agent/interpose/interpose_signals.h"
#include "child-agent/sampler/program_handlers.h"
#include "child-agent/sampler/sampling_signal.h"

/* Strict C programs call one that the headers do not show as it is called here. */
extern __sighandler_t bsd_signal(int number, __sighandler_t handler);

enum {
    BSD_FLAGS = SA_RESTART, /* unless siginterrupt() says otherwise */
    SYSV_FLAGS = (int)(SA_RESETHAND | SA_NODEFER),
};

/* The signals whose handlers let calls fail after siginterrupt(), of those that may be ours. */
static _Atomic uint64_t interrupting;

typedef __sighandler_t simple_setter(int number, __sighandler_t handler);
typedef int action_setter(int number);
typedef int interrupt_setter(int number, int interrupts);

static struct {
    simple_setter *signal, *bsd_signal, *ssignal, *sysv_signal, *sigset;
    action_setter *sigignore;
    interrupt_setter *siginterrupt;
} real;

/* Early: programs call these in handlers, which must not ask the loader. */
__attribute__((constructor)) static void find_real(void)
{
    if (real.signal != NULL)
        return;
    real.bsd_signal = (simple_setter *)real_symbol("bsd_signal");
    real.ssignal = (simple_setter *)real_symbol("ssignal");
    real.sysv_signal = (simple_setter *)real_symbol("sysv_signal");
    real.sigset = (simple_setter *)real_symbol("sigset");
    real.sigignore = (action_setter *)real_symbol("sigignore");
    real.siginterrupt = (interrupt_setter *)real_symbol("siginterrupt");
    real.signal = (simple_setter *)real_symbol("signal");
}

/* Of a signal that may be ours; ACTION may be NULL. Returns the handler before. */
static __sighandler_t set_ours(int number, const struct sigaction *action)
{
    struct sigaction old_action;
    return sampling_signal_program_action(number, action, &old_action) == 0 ? old_action.sa_handler
                                                                            : SIG_ERR;
}

/* The C library decides what is blocked, and whether calls are made again (siginterrupt()). */
static __sighandler_t set_other(simple_setter *real_setter, int number, __sighandler_t handler)
{
    if (core.is_enabled && !sampling_signal_may_be(number))
        handler = program_handler_to_install(number, handler);
    struct sigaction old_action = { .sa_handler = real_setter(number, handler) };
    interpose_signals_show(number, &old_action);
    return old_action.sa_handler;
}

/* FLAGS and what is blocked beside the handler are those of the C library for REAL_SETTER, and so
 * is whether it refuses SIG_ERR. */
static __sighandler_t set_simply(simple_setter *real_setter, int number, __sighandler_t handler,
                                 int flags)
{
    struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
    bool is_refused = handler == SIG_ERR && real_setter != real.sigset;
    if (!core.is_enabled || is_refused)
        return set_other(real_setter, number, handler);
    if (flags == BSD_FLAGS)
        (void)sigaddset(&action.sa_mask, number);
    if (flags == BSD_FLAGS && (atomic_load(&interrupting) & signal_bit(number)) != 0)
        action.sa_flags = 0;
    interpose_signals_prepare(number, &action);
    return interpose_signals_are_ours(number) ? set_ours(number, &action)
                                              : set_other(real_setter, number, handler);
}

#define SIMPLE_SETTER(name, flags)                                                                 \
    PROFD_INTERPOSED __sighandler_t name(int number, __sighandler_t handler)                       \
    {                                                                                              \
        find_real();                                                                               \
        return set_simply(real.name, number, handler, flags);                                      \
    }

SIMPLE_SETTER(signal, BSD_FLAGS)
SIMPLE_SETTER(bsd_signal, BSD_FLAGS)
SIMPLE_SETTER(ssignal, BSD_FLAGS)
SIMPLE_SETTER(sysv_signal, SYSV_FLAGS)

/* What signal() is in strict C. */
PROFD_INTERPOSED __sighandler_t __sysv_signal(int number, __sighandler_t handler)
{
    return sysv_signal(number, handler);
}

PROFD_INTERPOSED int siginterrupt(int number, int interrupts)
{
    struct sigaction action;
    find_real();
    if (!interpose_signals_are_ours(number))
        return real.siginterrupt(number, interrupts);
    if (sampling_signal_program_action(number, NULL, &action) < 0)
        return -1;
    if (interrupts) {
        atomic_fetch_or(&interrupting, signal_bit(number));
        action.sa_flags &= ~SA_RESTART;
    } else {
        atomic_fetch_and(&interrupting, ~signal_bit(number));
        action.sa_flags |= SA_RESTART;
    }
    return sampling_signal_program_action(number, &action, NULL);
}

/* --- With the mask --- */

/* Blocks or unblocks NUMBER, as sigprocmask() does. */
static int change_mask(int how, int number, sigset_t *before)
{
    sigset_t set;
    (void)sigemptyset(&set);
    return sigaddset(&set, number) < 0 ? -1 : sigprocmask(how, &set, before);
}

/* The same. Returns whether it was blocked. */
static bool exchange_block(int how, int number)
{
    sigset_t before;
    return change_mask(how, number, &before) == 0 && sigismember(&before, number) == 1;
}

PROFD_INTERPOSED __sighandler_t sigset(int number, __sighandler_t handler)
{
    find_real();
    bool is_ours = interpose_signals_are_ours(number);
    if (is_ours && handler == SIG_HOLD)
        return exchange_block(SIG_BLOCK, number) ? SIG_HOLD : set_ours(number, NULL);
    __sighandler_t before = set_simply(real.sigset, number, handler, 0);
    if (is_ours && before != SIG_ERR && exchange_block(SIG_UNBLOCK, number))
        before = SIG_HOLD;
    return before;
}

PROFD_INTERPOSED int sigignore(int number)
{
    static const struct sigaction ignored = { .sa_handler = SIG_IGN };
    find_real();
    if (!interpose_signals_are_ours(number))
        return real.sigignore(number);
    return sampling_signal_program_action(number, &ignored, NULL);
}

PROFD_INTERPOSED int sighold(int number)
{
    return change_mask(SIG_BLOCK, number, NULL);
}

PROFD_INTERPOSED int sigrelse(int number)
{
    return change_mask(SIG_UNBLOCK, number, NULL);
}
