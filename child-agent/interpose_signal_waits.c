/* Interposed: waiting for signals by call. A thread that has run is asked for a sample, and its
 * call would come back with a signal that the program knows nothing of. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "child-agent/core.h"
#include "child-agent/interpose.h"
#include "child-agent/real_calls.h"
#include "child-agent/sampling_signal.h"

enum { NS_PER_SECOND = 1000000000 };

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

static struct timespec now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time;
}

/* What is left of TIMEOUT since START; not less than nothing. */
static struct timespec left_of(const struct timespec *timeout, const struct timespec *start)
{
    struct timespec time = now();
    struct timespec left = { .tv_sec = timeout->tv_sec - (time.tv_sec - start->tv_sec),
                             .tv_nsec = timeout->tv_nsec - (time.tv_nsec - start->tv_nsec) };
    if (left.tv_nsec < 0) {
        left.tv_nsec += NS_PER_SECOND;
        left.tv_sec--;
    } else if (left.tv_nsec >= NS_PER_SECOND) {
        left.tv_nsec -= NS_PER_SECOND;
        left.tv_sec++;
    }
    return left.tv_sec >= 0 ? left : (struct timespec){ 0 };
}

/* Waits on when it was the sampler's signal. */
static int wait_for(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
    siginfo_t got;
    struct timespec start, left;
    const struct timespec *wait = timeout;
    if (!core.is_enabled || sigismember(set, sampling_signal_number()) != 1)
        return call_sigtimedwait(set, info, timeout);
    if (timeout != NULL)
        start = now();
    for (;;) {
        int number = call_sigtimedwait(set, &got, wait);
        if (number != sampling_signal_number() || !sampling_signal_withdraw_request()) {
            if (number > 0 && info != NULL)
                *info = got;
            return number;
        }
        if (timeout != NULL) {
            left = left_of(timeout, &start);
            wait = &left;
        }
    }
}

PROFD_INTERPOSED int sigtimedwait(const sigset_t *set, siginfo_t *info,
                                  const struct timespec *timeout)
{
    return wait_for(set, info, timeout);
}

PROFD_INTERPOSED int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    return wait_for(set, info, NULL);
}

PROFD_INTERPOSED int sigwait(const sigset_t *set, int *number)
{
    int got;
    do {
        got = wait_for(set, NULL, NULL);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return errno;
    *number = got;
    return 0;
}

/* As sigsuspend with the mask as it is: that one can be made again after a sample without missing
 * what comes meanwhile, because until then nothing comes through. */
PROFD_INTERPOSED int pause(void)
{
    typedef int pause_function(void);
    static pause_function *real;
    sigset_t all, before;
    if (!core.is_enabled) {
        if (real == NULL)
            real = (pause_function *)real_symbol("pause");
        return real();
    }
    sigfillset(&all);
    int err = real_pthread_sigmask(SIG_SETMASK, &all, &before);
    if (err == 0) {
        (void)sigsuspend(&before); /* always fails */
        err = errno;
        (void)real_pthread_sigmask(SIG_SETMASK, &before, NULL); /* a mask that was valid */
    }
    errno = err;
    return -1;
}
