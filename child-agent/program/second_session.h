/* The program's session beside profd's session: the second of the two that can be active.
 *
 * One recording serves both. It contains everything that profd's session requests, which the second
 * may not exceed, and uses the finer of the two intervals while both are active. The program's
 * captures begin where its session began. It ends together with profd's session. Called within the
 * program's calls, one at a time. */
#ifndef PROFD_AGENT_SECOND_SESSION_H
#define PROFD_AGENT_SECOND_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/session_settings.h"

/* Starts it with SETTINGS, beside the active session. Returns 0, -EALREADY if there is one, or
 * -EBUSY if SETTINGS request what the active session does not record. */
int second_session_start(const struct session_settings *settings);

/* Stops it. Returns 0, or -ESRCH if there is none. */
int second_session_stop(void);

/* Called in a forked child, which has none. */
void second_session_after_fork_child(void);

/* Returns what the program requested, and since when; NULL if there is none. */
const struct session_settings *second_session_get(uint64_t *since_ns);

#endif
