/* An event of the kernel's perf subsystem (software cpu-clock). It signals a thread each time the
 * thread has used an interval of CPU time, and not only at the kernel's tick.
 *
 * The event lives as long as its descriptor, in whichever process that is. It counts the thread's
 * CPU time in the kernel, too. It is not inherited, and it ends when its thread executes another
 * program if the kernel supports that (Linux 5.13). Its signals carry a number in si_fd: the
 * descriptor's number at the time of perf_event_direct().
 *
 * Any thread. */
#ifndef PROFD_BUFFER_PERF_EVENT_H
#define PROFD_BUFFER_PERF_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/sampling_clock.h"

/* Returns the interval that the kernel grants when INTERVAL_NS is requested and it takes at most
 * MOST_PER_SECOND samples (0: not known). Pure. */
uint64_t perf_event_granted_interval_ns(uint64_t interval_ns, uint64_t most_per_second);

/* Returns how many samples the kernel says it takes per second; 0 if not known. Opens a descriptor
 * for a moment. */
uint64_t perf_event_most_per_second(void);

/* Creates an event for THREAD, which does not run yet. *DESCRIPTOR belongs to the caller and is
 * close-on-exec; closing it ends the event. Returns 0, -ESRCH if the thread is gone, -EMFILE if the
 * descriptor table is full, or another error of the kernel. */
int perf_event_create(pid_t thread, uint64_t interval_ns, int *descriptor);

/* Returns whether an event may send SIGNAL_NUMBER. Only signals that are ignored by default may be
 * sent: any other signal that is pending when the thread's process executes another program would
 * kill it. Pure. */
bool perf_event_may_send(int signal_number);

/* Makes the event of DESCRIPTOR send SIGNAL_NUMBER to THREAD. Returns 0 or -errno. */
int perf_event_direct(int descriptor, pid_t thread, int signal_number);

/* Start and stop the event. Return 0 or -errno. */
int perf_event_start(int descriptor);
int perf_event_rest(int descriptor);

/* Returns what users are told about an error of these functions; NONE if the thread is gone.
 * Pure. */
enum clock_refusal perf_event_refusal(int error);

#endif
