/* The alarm of the thread that looks where others sleep: it rests while nothing in the process
 * runs, and the first sample wakes it. */
#ifndef PROFD_AGENT_LOOK_ALARM_H
#define PROFD_AGENT_LOOK_ALARM_H

#include <stdint.h>

/* Waits until the alarm is rung. The looking thread. */
void look_alarm_rest(void);

/* Waits for DURATION_NS, or until the alarm is rung. The looking thread. */
void look_alarm_wait(uint64_t duration_ns);

/* For whoever has something to be looked at: ends the present wait, or the next one. Any thread. */
void look_alarm_ring(void);

/* The same for a thread that was sampled: only ends a rest. No system call unless there is one to
 * end. Also in signal handlers. */
void look_alarm_ring_if_resting(void);

#endif
