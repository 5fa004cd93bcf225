/* Interposed: the program's dealings with the sampling signal, so that they don't end sampling and
 * it does not end them; and the handlers of other signals. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/signalfd.h>

#include "child-agent/core.h"
#include "child-agent/guest/interpose.h"
#include "child-agent/guest/process_memory.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/interpose/interpose_signals.h"
#include "child-agent/sampler/masking_handlers.h"
#include "child-agent/sampler/program_handlers.h"
#include "child-agent/sampler/program_signal.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/sampler/signal_stack.h"
#include "child-agent/sampler/thread_mask.h"

PROFD_INTERPOSED int pthread_sigmask(int how, const sigset_t *set, sigset_t *old_set)
{
    return thread_mask_change(how, set, old_set);
}

PROFD_INTERPOSED int sigprocmask(int how, const sigset_t *set, sigset_t *old_set)
{
    int error = thread_mask_change(how, set, old_set);
    if (error == 0)
        return 0;
    errno = error;
    return -1;
}

bool interpose_signals_are_ours(int number)
{
    return core.is_enabled && sampling_signal_may_be(number) && sampling_signal_is_own_process();
}

void interpose_signals_prepare(int number, const struct sigaction *action)
{
    if (number == SIGCHLD && sampling_signal_has_handler(action))
        sampling_signal_prepare_for_children();
    if (action->sa_flags & SA_ONSTACK)
        signal_stack_withdraw();
}

void interpose_signals_show(int number, struct sigaction *action)
{
    sampling_signal_hide_own_action(number, action);
    action->sa_handler = program_handler_of(action->sa_handler);
}

static int set_action(int number, const struct sigaction *action, struct sigaction *old_action)
{
    struct sigaction installed;
    if (core.is_enabled && action != NULL) {
        installed = *action;
        installed.sa_handler = program_handler_to_install(number, action->sa_handler);
        action = &installed;
    }
    int result = core.is_enabled ? masking_handlers_set(number, action, old_action)
                                 : real_sigaction(number, action, old_action);
    if (result == 0 && old_action != NULL)
        interpose_signals_show(number, old_action);
    return result;
}

PROFD_INTERPOSED int sigaction(int number, const struct sigaction *action,
                               struct sigaction *old_action)
{
    if (core.is_enabled && action != NULL)
        interpose_signals_prepare(number, action);
    if (interpose_signals_are_ours(number))
        return sampling_signal_program_action(number, action, old_action);
    return set_action(number, action, old_action);
}

/* An argument may be no address: then the kernel says so. Where nobody may ask, it is believed. */
static bool read_argument(const void *argument, void *out, size_t bytes)
{
    if (process_memory_read_argument(argument, out, bytes))
        return true;
    if (argument == NULL || !(process_memory_is_refused() || process_memory_is_read_directly()))
        return false;
    memcpy(out, argument, bytes);
    return true;
}

PROFD_INTERPOSED int sigaltstack(const stack_t *stack, stack_t *old_stack)
{
    enum { FLAGS_THAT_ARE_NO_STATE = (int)(1U << 31) }; /* SS_AUTODISARM */
    stack_t wanted = { .ss_flags = SS_DISABLE };
    bool is_read = core.is_enabled && read_argument(stack, &wanted, sizeof(wanted));
    int result = signal_stack_change(stack, old_stack);
    if (is_read && result == 0 && (wanted.ss_flags & ~FLAGS_THAT_ARE_NO_STATE) != SS_DISABLE)
        masking_handlers_note_stack(wanted.ss_size);
    return result;
}

PROFD_INTERPOSED int signalfd(int fd, const sigset_t *mask, int flags)
{
    static signalfd_function *real;
    if (real == NULL)
        real = (signalfd_function *)real_symbol("signalfd");
    uint64_t bits;
    if (!core.is_enabled || !sampling_signal_is_own_process() ||
        !read_argument(mask, &bits, sizeof(bits)))
        return real(fd, mask, flags);
    thread_mask_use(mask);
    return sampling_signal_program_descriptor(real, fd, mask, flags);
}
