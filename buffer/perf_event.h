/* An event of the kernel's perf (software cpu-clock): it signals one thread whenever that has used
 * an interval of CPU time, and not only at the kernel's tick.
 *
 * It lives as long as its descriptor, whichever process has that, counts the kernel's part of the
 * thread's CPU time as well, is inherited by nobody, and does not outlive an exec of its thread
 * where the kernel can see to that (Linux 5.13). Its signals show a number as their descriptor
 * (si_fd): the one by which perf_event_direct() knew it.
 *
 * Any thread. */
#ifndef PROFD_BUFFER_PERF_EVENT_H
#define PROFD_BUFFER_PERF_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/sampling_clock.h"

/* The interval that the kernel grants when INTERVAL_NS is asked for and it takes at most
 * MOST_PER_SECOND samples (0: not known). Pure. */
uint64_t perf_event_granted_interval_ns(uint64_t interval_ns, uint64_t most_per_second);

/* How many samples the kernel takes in a second, by its own word; 0: not known. Opens a descriptor.
 */
uint64_t perf_event_most_per_second(void);

/* Makes an event of THREAD that does not run yet. *DESCRIPTOR is the caller's and close-on-exec;
 * closing it ends the event. 0; -ESRCH when the thread is gone, -EMFILE when the table is full,
 * else what the kernel says. */
int perf_event_create(pid_t thread, uint64_t interval_ns, int *descriptor);

/* Whether an event is to send SIGNAL_NUMBER: those that are ignored by default. Another one that is
 * under way when the thread's process becomes another program would end that. Pure. */
bool perf_event_may_send(int signal_number);

/* Has the event behind DESCRIPTOR send SIGNAL_NUMBER to THREAD. 0 or -errno. */
int perf_event_direct(int descriptor, pid_t thread, int signal_number);

/* Lets it run, or rest. 0 or -errno. */
int perf_event_start(int descriptor);
int perf_event_rest(int descriptor);

/* What people are told of an error of these; NONE when it is the thread that is gone. Pure. */
enum clock_refusal perf_event_refusal(int error);

#endif
