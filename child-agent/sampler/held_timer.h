/* A POSIX timer of the kernel's own, without the C library, that several threads may replace or
 * delete at once: whoever takes its number out deletes it, so that no other one is hit.
 *
 * It counts against RLIMIT_SIGPENDING, does not survive fork and exec, and its signals carry a mark
 * that tells them from the program's. Any thread, also in signal handlers. */
#ifndef PROFD_AGENT_HELD_TIMER_H
#define PROFD_AGENT_HELD_TIMER_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Zeroed memory holds none. */
struct held_timer {
    _Atomic int number_and_one; /* the kernel's number for it and one; 0: there is none */
};

/* Of a timer that is to be made. */
struct held_timer_wish {
    clockid_t clock;
    int signal_number;
    pid_t thread;     /* that the signals are for; 0: the process */
    const void *mark; /* what the signals carry; an address of whoever asks */
};

/* Makes a timer, which is not set, and deletes the one that TIMER holds. 0 or -errno, and TIMER
 * holds what it held: -EAGAIN when the user may have no more, -EINVAL also when the thread or its
 * clock is gone. */
int held_timer_make(struct held_timer *timer, const struct held_timer_wish *wish);

/* Has it send its signal at each INTERVAL_NS from now on; 0: never. 0; -EINVAL when there is none,
 * or its clock is gone. */
int held_timer_set(const struct held_timer *timer, uint64_t interval_ns);

/* Nothing when there is none. */
void held_timer_delete(struct held_timer *timer);

bool held_timer_exists(const struct held_timer *timer);

/* Whether INFO is of this very timer, and not of one that was held before. */
bool held_timer_sent(const struct held_timer *timer, const siginfo_t *info);

/* Whether INFO is of a timer that was made with MARK. */
bool held_timer_is_marked(const siginfo_t *info, const void *mark);

/* In a forked child, which has no timers. */
void held_timer_after_fork_child(struct held_timer *timer);

#endif
