/* Interposed: calls in which programs wait. A process without a thread of ours looks around before
 * it does: whether a session has begun, and whether that needs threads. Each call is a jump to the
 * C library's own then. */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#include "child-agent/interpose/interpose.h"
#include "child-agent/interpose/real_calls.h"
#include "child-agent/resting.h"

#define SLEEPS(X)                                                                                  \
    X(int, poll, (struct pollfd * fds, nfds_t count, int timeout), (fds, count, timeout))          \
    X(int, epoll_wait, (int epoll_fd, struct epoll_event *events, int most, int timeout),          \
      (epoll_fd, events, most, timeout))                                                           \
    X(int, select,                                                                                 \
      (int count, fd_set *reads, fd_set *writes, fd_set *errors, struct timeval *timeout),         \
      (count, reads, writes, errors, timeout))                                                     \
    X(int, nanosleep, (const struct timespec *wanted, struct timespec *left), (wanted, left))      \
    X(int, clock_nanosleep,                                                                        \
      (clockid_t clock, int flags, const struct timespec *wanted, struct timespec *left),          \
      (clock, flags, wanted, left))                                                                \
    X(int, usleep, (useconds_t wanted_us), (wanted_us))                                            \
    X(unsigned, sleep, (unsigned wanted_s), (wanted_s))

#define X(type, name, parameters, arguments)                                                       \
    PROFD_INTERPOSED type name parameters                                                          \
    {                                                                                              \
        static type(*real) parameters;                                                             \
        if (__builtin_expect(real == NULL, 0))                                                     \
            *(void **)&real = real_symbol(#name);                                                  \
        resting_note_wait();                                                                       \
        return real arguments;                                                                     \
    }
SLEEPS(X)
