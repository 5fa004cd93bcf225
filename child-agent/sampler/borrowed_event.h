/* The perf event of a program's only thread. profd keeps it (buffer/event_loan.h), since there is
 * no agent thread with a descriptor table of its own.
 *
 * Requires core_local.has_arena. Called by the thread itself and its handlers. */
#ifndef PROFD_AGENT_BORROWED_EVENT_H
#define PROFD_AGENT_BORROWED_EVENT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Requests an event that sends SIGNAL_NUMBER (0: none) at each INTERVAL_NS, and tells profd if the
 * request has changed. */
void borrowed_event_request(uint64_t interval_ns, int signal_number);

/* Returns the signal of the event that is lent; 0 if there is none. */
int borrowed_event_signal(void);

/* Returns whether INFO is of an event that is or was lent. */
bool borrowed_event_is_signal(const siginfo_t *info);

/* Returns the event's interval as granted by the kernel. */
uint64_t borrowed_event_interval_ns(void);

#endif
