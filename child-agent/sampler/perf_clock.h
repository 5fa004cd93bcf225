/* A finer clock of one thread: an event of the kernel's perf (software cpu-clock), which signals
 * the thread whenever it has used an interval of CPU time, and not only at the kernel's tick.
 *
 * Signals of one kind do not queue: what two of them stand for may come as one, so the thread's own
 * clock tells how much it used. An event lives as long as its descriptor, counts the kernel's part
 * of the thread's CPU time as well, and is inherited by nobody.
 *
 * All events give one number as the descriptor that signals (si_fd), the highest of an ordinary
 * table, so that their signals are told from those of the program's own descriptors. */
#ifndef PROFD_AGENT_PERF_CLOCK_H
#define PROFD_AGENT_PERF_CLOCK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "buffer/sampling_clock.h"
#include "profd_threads.h"

/* The interval that the kernel grants when INTERVAL_NS is asked for and it takes at most
 * MOST_PER_SECOND samples (0: not known). Pure. */
uint64_t perf_clock_granted_interval_ns(uint64_t interval_ns, uint64_t most_per_second);

/* How many samples the kernel takes in a second, by its own word; 0: not known. Opens a descriptor.
 */
uint64_t perf_clock_most_per_second(void);

/* Makes an event that sends SIGNAL_NUMBER to THREAD at each INTERVAL_NS. *DESCRIPTOR is the
 * caller's, in the table of the calling thread, which is the agent's and not the program's; closing
 * it ends the event. 0; -ESRCH when the thread is gone, -EMFILE when the table is full, else what
 * the kernel says. */
int perf_clock_open(struct profd_thread_id thread, uint64_t interval_ns, int signal_number,
                    int *descriptor);

/* What people are told of an error of perf_clock_open(); NONE when it is the thread that is gone.
 * Pure. */
enum clock_refusal perf_clock_refusal(int err);

/* Whether INFO is of an event of this kind, and not the program's own signal. In handlers. */
bool perf_clock_is_signal(const siginfo_t *info);

/* In a forked child, which has no events. */
void perf_clock_after_fork_child(void);

#endif
