/* The perf event of a program's only thread, which profd keeps for it (buffer/event_loan.h), since
 * there is no thread of ours with a table of descriptors of its own.
 *
 * Only where core_local.has_arena. The thread itself, and its handlers. */
#ifndef PROFD_AGENT_BORROWED_EVENT_H
#define PROFD_AGENT_BORROWED_EVENT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Wants an event at each INTERVAL_NS that sends SIGNAL_NUMBER (0: none), and tells profd if that is
 * another one than before. */
void borrowed_event_request(uint64_t interval_ns, int signal_number);

/* The signal of the event that is lent; 0: there is none. */
int borrowed_event_signal(void);

/* Whether INFO is of an event that is lent, or was. */
bool borrowed_event_is_signal(const siginfo_t *info);

/* Its interval, as the kernel grants it. */
uint64_t borrowed_event_interval_ns(void);

#endif
