/* The program's session beside profd's: the second of the two that may be on.
 *
 * One recording serves both: it has all that profd's session asks for, which the second may not
 * exceed, and is as fine as the finer of the two intervals while both are on. The program's
 * captures begin where its session did. It ends with profd's. Under the program's calls, one at a
 * time. */
#ifndef PROFD_AGENT_SECOND_SESSION_H
#define PROFD_AGENT_SECOND_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/session_settings.h"

/* Begins it with SETTINGS, beside the session that is on. -EALREADY when there is one, -EBUSY when
 * SETTINGS ask for what that session does not record. */
int second_session_start(const struct session_settings *settings);

/* 0, or -ESRCH when there is none. */
int second_session_stop(void);

/* In a forked child, which has none. */
void second_session_after_fork_child(void);

/* What the program asked for, and since when; NULL: there is none. */
const struct session_settings *second_session_get(uint64_t *since_ns);

#endif
