/* Interposed: calls that wait for signals, by taking them in hand or by unblocking them while they
 * wait. A thread that has run is asked for a sample, and its call would come back with a signal
 * that the program knows nothing of.
 *
 * Those that unblock cannot simply be made again after a sample: it could be that the program's own
 * handler had just run, and then its signal would be slept through. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "child-agent/core.h"
#include "child-agent/groups/loop_watch.h"
#include "child-agent/guest/interpose.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/interpose/fortified_waits.h"
#include "child-agent/resting.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/sampler/thread_mask.h"
#include "child-agent/threads/thread_registration.h"
#include "common/time_units.h"

/* --- Taking signals in hand --- */

static int call_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
    typedef int sigtimedwait_function(const sigset_t *, siginfo_t *, const struct timespec *);
    static sigtimedwait_function *real;
    if (real == NULL)
        real = (sigtimedwait_function *)real_symbol("sigtimedwait");
    if (real != NULL)
        return real(set, info, timeout);
    errno = ENOSYS;
    return -1;
}

/* The kernel's call: what the C library's makes of a signal for the thread (SI_USER) cannot be told
 * from one that lost its sender, if it came from outside the pid namespace. Cancelled as that one
 * is. */
static int call_kernel_sigtimedwait(const sigset_t *set, siginfo_t *info,
                                    const struct timespec *timeout)
{
    int cancel_type;
    (void)pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &cancel_type); /* cannot fail */
    int number = (int)syscall(SYS_rt_sigtimedwait, set, info, timeout, NSIG / 8);
    (void)pthread_setcanceltype(cancel_type, NULL);
    return number;
}

/* INFO (may be NULL) as the C library's call would have it. */
static void tell_signal(const siginfo_t *got, siginfo_t *info)
{
    if (info == NULL)
        return;
    *info = *got;
    if (info->si_code == SI_TKILL)
        info->si_code = SI_USER;
}

static struct timespec time_now(void)
{
    return clock_timespec(clock_monotonic_ns());
}

/* What is left of TIMEOUT since START; not less than nothing. */
static struct timespec remaining_time(const struct timespec *timeout, const struct timespec *start)
{
    struct timespec time = time_now();
    struct timespec left = { .tv_sec = timeout->tv_sec - (time.tv_sec - start->tv_sec),
                             .tv_nsec = timeout->tv_nsec - (time.tv_nsec - start->tv_nsec) };
    if (left.tv_nsec < 0) {
        left.tv_nsec += NS_PER_S;
        left.tv_sec--;
    } else if (left.tv_nsec >= NS_PER_S) {
        left.tv_nsec -= NS_PER_S;
        left.tv_sec++;
    }
    return left.tv_sec >= 0 ? left : (struct timespec){ 0 };
}

/* Waits on when it was the sampler's signal. */
static int wait_for_signal(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
    siginfo_t got;
    struct timespec start, left;
    const struct timespec *wait = timeout;
    if (core.is_enabled)
        thread_mask_use(set);
    if (!core.is_enabled || sigismember(set, sampling_signal_number()) != 1)
        return call_sigtimedwait(set, info, timeout);
    if (timeout != NULL)
        start = time_now();
    for (;;) {
        int number = call_kernel_sigtimedwait(set, &got, wait);
        if (number <= 0)
            return number;
        if (!sampling_signal_may_be(number) || !sampling_signal_withdraw_request(&got)) {
            tell_signal(&got, info);
            return number;
        }
        if (timeout != NULL) {
            left = remaining_time(timeout, &start);
            wait = &left;
        }
    }
}

PROFD_INTERPOSED int sigtimedwait(const sigset_t *set, siginfo_t *info,
                                  const struct timespec *timeout)
{
    return wait_for_signal(set, info, timeout);
}

PROFD_INTERPOSED int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    return wait_for_signal(set, info, NULL);
}

PROFD_INTERPOSED int sigwait(const sigset_t *set, int *number)
{
    int got;
    do {
        got = wait_for_signal(set, NULL, NULL);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return errno;
    *number = got;
    return 0;
}

/* --- Waiting with another mask --- */

/* Keeps the sampling signal pending from before a call to after it. */
struct shield {
    sigset_t mask;
    sigset_t only; /* the signal, which may be another one afterwards */
    bool is_up;
};

/* The mask to wait with instead of MASK (NULL: the call has none). A program that handles the
 * signal itself may wait for it. */
static const sigset_t *raise_shield(struct shield *shield, const sigset_t *mask)
{
    thread_mask_settle();
    int number = sampling_signal_number();
    shield->is_up = core.is_enabled && mask != NULL && thread_current != NULL &&
                    !atomic_load(&thread_current->yields_signal) &&
                    !sampling_signal_is_handled_by_program();
    if (!shield->is_up)
        return mask;
    shield->mask = *mask;
    sigaddset(&shield->mask, number);
    sigemptyset(&shield->only);
    sigaddset(&shield->only, number);
    (void)real_pthread_sigmask(SIG_BLOCK, &shield->only, NULL); /* fails only for what is no mask */
    return &shield->mask;
}

static int lower_shield(const struct shield *shield, int result)
{
    int call_errno = errno;
    if (shield->is_up)
        (void)real_pthread_sigmask(SIG_UNBLOCK, &shield->only, NULL);
    errno = call_errno;
    return result;
}

/* A wait for events with another mask. */
struct masked_wait {
    struct shield shield;
    enum watched_wait watched;
};

/* The mask to wait with instead of MASK; PLACE is where the program waits. */
static const sigset_t *begin_wait(struct masked_wait *wait, const sigset_t *mask, const void *place)
{
    resting_note_wait();
    wait->watched = loop_watch_begin(place);
    return raise_shield(&wait->shield, mask);
}

static int end_wait(const struct masked_wait *wait, int result)
{
    result = lower_shield(&wait->shield, result);
    loop_watch_end(wait->watched, result > 0);
    return result;
}

PROFD_INTERPOSED int sigsuspend(const sigset_t *mask)
{
    typedef int sigsuspend_function(const sigset_t *);
    static sigsuspend_function *real;
    struct shield shield;
    if (real == NULL)
        real = (sigsuspend_function *)real_symbol("sigsuspend");
    mask = raise_shield(&shield, mask);
    return lower_shield(&shield, real(mask));
}

/* As sigsuspend with the mask as it is. */
PROFD_INTERPOSED int pause(void)
{
    typedef int pause_function(void);
    static pause_function *real;
    sigset_t all, before;
    if (real == NULL)
        real = (pause_function *)real_symbol("pause");
    if (!core.is_enabled)
        return real();
    sigfillset(&all);
    int error = real_pthread_sigmask(SIG_SETMASK, &all, &before);
    if (error == 0) {
        (void)sigsuspend(&before); /* always fails */
        error = errno;
        (void)real_pthread_sigmask(SIG_SETMASK, &before, NULL); /* a mask that was valid */
    }
    errno = error;
    return -1;
}

PROFD_INTERPOSED int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                           const sigset_t *mask)
{
    typedef int ppoll_function(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
    static ppoll_function *real;
    struct masked_wait wait;
    if (real == NULL)
        real = (ppoll_function *)real_symbol("ppoll");
    mask = begin_wait(&wait, mask, __builtin_return_address(0));
    return end_wait(&wait, real(fds, count, timeout, mask));
}

/* What -D_FORTIFY_SOURCE makes of ppoll(). */
PROFD_INTERPOSED int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                                 const sigset_t *mask, size_t fds_bytes)
{
    typedef int ppoll_chk_function(struct pollfd *, nfds_t, const struct timespec *,
                                   const sigset_t *, size_t);
    static ppoll_chk_function *real;
    struct masked_wait wait;
    if (real == NULL)
        real = (ppoll_chk_function *)real_symbol("__ppoll_chk");
    mask = begin_wait(&wait, mask, __builtin_return_address(0));
    return end_wait(&wait, real(fds, count, timeout, mask, fds_bytes));
}

PROFD_INTERPOSED int pselect(int count, fd_set *readable, fd_set *writable, fd_set *exceptional,
                             const struct timespec *timeout, const sigset_t *mask)
{
    typedef int pselect_function(int, fd_set *, fd_set *, fd_set *, const struct timespec *,
                                 const sigset_t *);
    static pselect_function *real;
    struct masked_wait wait;
    if (real == NULL)
        real = (pselect_function *)real_symbol("pselect");
    mask = begin_wait(&wait, mask, __builtin_return_address(0));
    return end_wait(&wait, real(count, readable, writable, exceptional, timeout, mask));
}

PROFD_INTERPOSED int epoll_pwait(int epoll, struct epoll_event *events, int count, int timeout_ms,
                                 const sigset_t *mask)
{
    typedef int epoll_pwait_function(int, struct epoll_event *, int, int, const sigset_t *);
    static epoll_pwait_function *real;
    struct masked_wait wait;
    if (real == NULL)
        real = (epoll_pwait_function *)real_symbol("epoll_pwait");
    mask = begin_wait(&wait, mask, __builtin_return_address(0));
    return end_wait(&wait, real(epoll, events, count, timeout_ms, mask));
}

PROFD_INTERPOSED int epoll_pwait2(int epoll, struct epoll_event *events, int count,
                                  const struct timespec *timeout, const sigset_t *mask)
{
    typedef int epoll_pwait2_function(int, struct epoll_event *, int, const struct timespec *,
                                      const sigset_t *);
    static epoll_pwait2_function *real;
    struct masked_wait wait;
    if (real == NULL)
        real = (epoll_pwait2_function *)real_symbol("epoll_pwait2");
    mask = begin_wait(&wait, mask, __builtin_return_address(0));
    return end_wait(&wait, real(epoll, events, count, timeout, mask));
}
