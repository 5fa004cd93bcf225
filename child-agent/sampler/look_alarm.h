/* The alarm of the thread that looks where others sleep, and the only way in which one of the
 * agent's threads waits with it: for time, for descriptors, and for the alarm.
 *
 * It wakes by the sampling signal, which the thread has blocked at all other times. While the
 * program uses that signal as well nobody is woken, and waits are short instead. */
#ifndef PROFD_AGENT_LOOK_ALARM_H
#define PROFD_AGENT_LOOK_ALARM_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As a time: only the alarm ends the wait. */
#define LOOK_ALARM_NEVER UINT64_MAX

/* What the looking thread can be woken for. */
enum look_alarm_state {
    LOOK_ALARM_OFF = 0, /* there are no looks, only other news */
    LOOK_ALARM_SET,     /* for a look that is wanted before it is due */
    LOOK_ALARM_RESTING, /* nothing runs: by the first sample, too */
};

/* Changes the state. OFF forgets that the alarm was rung. Looking thread. */
void look_alarm_set(enum look_alarm_state state);

/* Waits for what COUNT FDS ask for as poll() does, until DUE_NS of the monotonic clock, or until
 * the alarm is rung or the thread is woken; not at all if that has happened since the last wait.
 * Returns the number of FDS that are ready, 0 without one, or a negative errno. The thread must
 * have called sampling_signal_only_wakes(). Looking thread. */
int look_alarm_wait(struct pollfd *fds, size_t count, uint64_t due_ns);

/* Returns whether the alarm was rung since this was last called. Looking thread. */
bool look_alarm_take(void);

/* Ends the present wait, or the next one, because somebody wants a look. Without effect while the
 * alarm is off. Any thread. */
void look_alarm_ring(void);

/* Like look_alarm_ring(), for a thread that was sampled: only ends a rest, and makes a system call
 * only for that. Also in signal handlers. */
void look_alarm_ring_if_resting(void);

/* Ends the present wait, or the next one, for something else than a look. Any thread, also in
 * signal handlers. */
void look_alarm_wake(void);

/* Turns the alarm off and forgets who waits: at the end of the looking thread, and in a forked
 * child, which has none. */
void look_alarm_reset(void);

#endif
