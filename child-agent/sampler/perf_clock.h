/* A finer clock of one thread: a perf event (buffer/perf_event.h) in a descriptor table of the
 * agent.
 *
 * Signals of one kind do not queue, so one may stand for two; the thread's own clock says how much
 * it used.
 *
 * All events use the same number as the descriptor that signals (si_fd), the highest of an ordinary
 * table, which distinguishes their signals from those of the program's own descriptors. */
#ifndef PROFD_AGENT_PERF_CLOCK_H
#define PROFD_AGENT_PERF_CLOCK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "profd_threads.h"

/* Creates an event that sends SIGNAL_NUMBER to THREAD at each INTERVAL_NS. *DESCRIPTOR belongs to
 * the caller and is in the calling thread's descriptor table, which must be the agent's, not the
 * program's; closing it ends the event. Returns 0; -ESRCH if the thread is gone, -EMFILE if the
 * table is full, or another error of the kernel. */
int perf_clock_open(struct profd_thread_id thread, uint64_t interval_ns, int signal_number,
                    int *descriptor);

/* Returns whether INFO is of such an event rather than the program's own signal. For handlers. */
bool perf_clock_is_signal(const siginfo_t *info);

/* Returns whether INFO is of any perf event that has NUMBER as its descriptor. Pure. */
bool perf_clock_is_of_number(const siginfo_t *info, int number);

/* Called in a forked child, which has no events. */
void perf_clock_after_fork_child(void);

#endif
