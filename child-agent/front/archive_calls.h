/* Whose agent the archive's calls go to: that of libprofd.so, if the process has it, or the
 * archive's own. In libprofd.a alone. */
#ifndef PROFD_AGENT_ARCHIVE_CALLS_H
#define PROFD_AGENT_ARCHIVE_CALLS_H

#include <stdbool.h>

#include "child-agent/front/agent_calls.h"

/* Where each call jumps to, in the order of the table. Until they are known: to what finds them. */
extern agent_call_function *archive_slots[AGENT_CALL_COUNT] __attribute__((visibility("hidden")));

/* Fills the slots. A library that cannot be joined is told of in one line on standard error. Any
 * thread, any number of times; not in signal handlers. */
void archive_find_agent(void) __attribute__((visibility("hidden")));

/* Whether the process has libprofd.so: the archive's own agent is to be left off then. */
bool archive_has_library(void);

/* What the archive has is about to go (dlclose, or the end of the process). */
void archive_leave_library(void);

#endif
