/* The alarm of the looking thread, which checks where others sleep. That thread rests while nothing
 * in the process runs, and the first sample wakes it. */
#ifndef PROFD_AGENT_LOOK_ALARM_H
#define PROFD_AGENT_LOOK_ALARM_H

#include <stdint.h>

/* Waits until the alarm is rung. Looking thread. */
void look_alarm_rest(void);

/* Waits for DURATION_NS, or until the alarm is rung. Looking thread. */
void look_alarm_wait(uint64_t duration_ns);

/* Ends the present wait, or the next one. For threads that need something to be looked at. Any
 * thread. */
void look_alarm_ring(void);

/* Like look_alarm_ring(), for a thread that was sampled. Only ends a rest, and makes a system call
 * only for that. Also in signal handlers. */
void look_alarm_ring_if_resting(void);

#endif
