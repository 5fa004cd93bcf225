/* A finer clock of one thread: a perf event (buffer/perf_event.h) in a table of descriptors of the
 * agent's.
 *
 * Signals of one kind do not queue: what two of them stand for may come as one, so the thread's own
 * clock tells how much it used.
 *
 * All events give one number as the descriptor that signals (si_fd), the highest of an ordinary
 * table, so that their signals are told from those of the program's own descriptors. */
#ifndef PROFD_AGENT_PERF_CLOCK_H
#define PROFD_AGENT_PERF_CLOCK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "profd_threads.h"

/* Makes an event that sends SIGNAL_NUMBER to THREAD at each INTERVAL_NS. *DESCRIPTOR is the
 * caller's, in the table of the calling thread, which is the agent's and not the program's; closing
 * it ends the event. 0; -ESRCH when the thread is gone, -EMFILE when the table is full, else what
 * the kernel says. */
int perf_clock_open(struct profd_thread_id thread, uint64_t interval_ns, int signal_number,
                    int *descriptor);

/* Whether INFO is of an event of this kind, and not the program's own signal. In handlers. */
bool perf_clock_is_signal(const siginfo_t *info);

/* Likewise of any perf event that shows NUMBER as its descriptor. Pure. */
bool perf_clock_is_of_number(const siginfo_t *info, int number);

/* In a forked child, which has no events. */
void perf_clock_after_fork_child(void);

#endif
