/* Interposed: calls in which programs wait. A process without a thread of ours looks around before
 * it does: whether a session has begun, and whether that needs threads. A thread that comes back to
 * the same call has an event loop, whose iterations are measured when somebody asks for that. */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#include "child-agent/groups/loop_watch.h"
#include "child-agent/guest/interpose.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/interpose/fortified_waits.h"
#include "child-agent/resting.h"

/* Waiting for events, as loops do; __poll_chk() is what -D_FORTIFY_SOURCE makes of poll(). */
#define WAITS(X)                                                                                   \
    X(poll, (struct pollfd * fds, nfds_t count, int timeout), (fds, count, timeout))               \
    X(__poll_chk, (struct pollfd * fds, nfds_t count, int timeout, size_t fds_bytes),              \
      (fds, count, timeout, fds_bytes))                                                            \
    X(epoll_wait, (int epoll_fd, struct epoll_event *events, int most, int timeout),               \
      (epoll_fd, events, most, timeout))                                                           \
    X(select, (int count, fd_set *reads, fd_set *writes, fd_set *errors, struct timeval *timeout), \
      (count, reads, writes, errors, timeout))

#define SLEEPS(X)                                                                                  \
    X(int, nanosleep, (const struct timespec *wanted, struct timespec *left), (wanted, left))      \
    X(int, clock_nanosleep,                                                                        \
      (clockid_t clock, int flags, const struct timespec *wanted, struct timespec *left),          \
      (clock, flags, wanted, left))                                                                \
    X(int, usleep, (useconds_t wanted_us), (wanted_us))                                            \
    X(unsigned, sleep, (unsigned wanted_s), (wanted_s))

#define FIND_REAL(name)                                                                            \
    if (__builtin_expect(real == NULL, 0))                                                         \
    *(void **)&real = real_symbol(#name)

#define X(name, parameters, arguments)                                                             \
    PROFD_INTERPOSED int name parameters                                                           \
    {                                                                                              \
        static int(*real) parameters;                                                              \
        FIND_REAL(name);                                                                           \
        resting_note_wait();                                                                       \
        enum watched_wait wait = loop_watch_begin(__builtin_return_address(0));                    \
        int result = real arguments;                                                               \
        loop_watch_end(wait, result > 0);                                                          \
        return result;                                                                             \
    }
WAITS(X)
#undef X

#define X(type, name, parameters, arguments)                                                       \
    PROFD_INTERPOSED type name parameters                                                          \
    {                                                                                              \
        static type(*real) parameters;                                                             \
        FIND_REAL(name);                                                                           \
        resting_note_wait();                                                                       \
        enum watched_wait wait = sleep_watch_begin();                                              \
        type result = real arguments;                                                              \
        loop_watch_end(wait, result == 0);                                                         \
        return result;                                                                             \
    }
SLEEPS(X)
