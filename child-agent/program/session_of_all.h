/* A program's session of all processes that its profd profiles, which profd runs for it beside its
 * own or the user's. It ends with the program. Under the program's calls, one at a time. */
#ifndef PROFD_AGENT_SESSION_OF_ALL_H
#define PROFD_AGENT_SESSION_OF_ALL_H

#include <stdbool.h>

#include "child-agent/session_settings.h"

/* Begins it with SETTINGS, whose limit may be 0: profd's own. Returns when this process takes part.
 * 0, -EALREADY, -EBUSY when profd has two sessions or one that is paused, -EPERM when profd lets
 * the program control nothing, or as profd_call(). */
int session_of_all_start(const struct session_settings *settings);

/* 0, -ESRCH when it is over already, or as profd_call(). */
int session_of_all_stop(void);

/* 0, also when that is so already; -EBUSY when another session is on beside it, -ESRCH, or as
 * profd_call(). */
int session_of_all_pause(void);
int session_of_all_resume(void);

/* Writes a capture of all processes to FD (borrowed). 0, -ESRCH, or as profd_call(). */
int session_of_all_capture(int fd);

/* Whether the program has begun one, and not ended it. */
bool session_of_all_is_active(void);

/* In a forked child, which has none. */
void session_of_all_after_fork_child(void);

#endif
