/* Checks whether a filter of system calls allows all calls that the agent may make for a sample, or
 * for a session of the program. */
#ifndef PROFD_AGENT_FILTER_CALLS_H
#define PROFD_AGENT_FILTER_CALLS_H

#include <linux/filter.h>
#include <stdbool.h>

/* Returns whether sampling can continue behind FILTER, which is about to be set. It must also be
 * possible to end sampling then, in case another filter follows. Pure. */
bool filter_calls_let_sampling_go_on(const struct sock_fprog *filter);

/* Returns whether the process may ask for its own process id behind FILTER. Pure. */
bool filter_calls_let_process_be_known(const struct sock_fprog *filter);

/* Returns whether the process may make the calls behind FILTER by which it tells of programs that
 * it runs (child-agent/census_unasked.h). Pure. */
bool filter_calls_let_programs_be_told(const struct sock_fprog *filter);

/* Returns whether the program can begin, end and capture its own sessions behind FILTER. Pure. */
bool filter_calls_let_sessions_change(const struct sock_fprog *filter);

#endif
