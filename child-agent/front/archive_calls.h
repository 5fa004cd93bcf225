/* Selects the agent that receives the archive's calls: that of libprofd.so if the process has it,
 * otherwise the archive's own. Only in libprofd.a. */
#ifndef PROFD_AGENT_ARCHIVE_CALLS_H
#define PROFD_AGENT_ARCHIVE_CALLS_H

#include <stdbool.h>

#include "child-agent/front/agent_calls.h"

/* The targets of the calls, in the order of the table. Until they are known, each points to the
 * code that finds them. */
extern agent_call_function *archive_slots[AGENT_CALL_COUNT] __attribute__((visibility("hidden")));

/* Fills the slots. If the library cannot be joined, reports that in one line on standard error. Any
 * thread; may be called any number of times; not in signal handlers. */
void archive_find_agent(void) __attribute__((visibility("hidden")));

/* Returns whether the process has libprofd.so; the archive's own agent must stay off then. */
bool archive_has_library(void);

/* Called when the archive's memory is about to disappear (dlclose, or the end of the process). */
void archive_leave_library(void);

#endif
