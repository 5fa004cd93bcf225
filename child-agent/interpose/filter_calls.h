/* The system calls that a sample may take, and whether a filter lets all of them through. */
#ifndef PROFD_AGENT_FILTER_CALLS_H
#define PROFD_AGENT_FILTER_CALLS_H

#include <linux/filter.h>
#include <stdbool.h>

/* Whether sampling can go on behind FILTER, which is about to be set: also if another one follows,
 * since it can then still be ended. Pure. */
bool filter_calls_let_sampling_go_on(const struct sock_fprog *filter);

/* Whether the process may ask for its number behind FILTER. Pure. */
bool filter_calls_let_process_be_known(const struct sock_fprog *filter);

#endif
