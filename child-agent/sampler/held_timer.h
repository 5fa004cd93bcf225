/* A POSIX timer, made with the kernel's own calls instead of the C library's, that several threads
 * may replace or delete at once. The thread that takes the timer's number out of the struct deletes
 * it, so no other timer is ever hit.
 *
 * It counts against RLIMIT_SIGPENDING and does not survive fork and exec. Its signals carry a mark
 * that distinguishes them from the program's. Any thread, also in signal handlers. */
#ifndef PROFD_AGENT_HELD_TIMER_H
#define PROFD_AGENT_HELD_TIMER_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Zeroed memory holds no timer. */
struct held_timer {
    _Atomic int number_and_one; /* the kernel's number plus one; 0: there is no timer */
};

/* The properties of a timer to create. */
struct held_timer_wish {
    clockid_t clock;
    int signal_number;
    pid_t thread;     /* the thread that receives the signals; 0: the process */
    const void *mark; /* what the signals carry: an address that belongs to the caller */
};

/* Creates a timer, which is not yet set, and deletes the one that TIMER held. Returns 0 or -errno,
 * with TIMER unchanged: -EAGAIN if the user may have no more timers, -EINVAL also if the thread or
 * its clock is gone. */
int held_timer_make(struct held_timer *timer, const struct held_timer_wish *wish);

/* Makes the timer send its signal at each INTERVAL_NS from now on; 0: never. Returns 0, or -EINVAL
 * if there is no timer or its clock is gone. */
int held_timer_set(const struct held_timer *timer, uint64_t interval_ns);

/* Deletes the timer, if there is one. */
void held_timer_delete(struct held_timer *timer);

bool held_timer_exists(const struct held_timer *timer);

/* Returns whether INFO is of exactly this timer, rather than one that was held before. */
bool held_timer_sent(const struct held_timer *timer, const siginfo_t *info);

/* Returns whether INFO is of a timer that was created with MARK. */
bool held_timer_is_marked(const siginfo_t *info, const void *mark);

/* Called in a forked child, which has no timers. */
void held_timer_after_fork_child(struct held_timer *timer);

#endif
