/* A program's session of all processes that its profd profiles. profd runs it for the program,
 * beside its own session or the user's. It ends with the program. Called within the program's
 * calls, one at a time. */
#ifndef PROFD_AGENT_SESSION_OF_ALL_H
#define PROFD_AGENT_SESSION_OF_ALL_H

#include <stdbool.h>

#include "child-agent/session_settings.h"

/* Starts it with SETTINGS, whose limit may be 0 (profd's own). Returns when this process takes
 * part. Returns 0; -EALREADY; -EBUSY if profd has two sessions or a paused one; -EPERM if profd
 * does not let the program control anything; or an error of profd_call(). */
int session_of_all_start(const struct session_settings *settings);

/* Stops it. Returns 0, -ESRCH if it is already over, or an error of profd_call(). */
int session_of_all_stop(void);

/* Pause and resume it. Return 0, also if nothing changes; -EBUSY if another session is active
 * beside it, -ESRCH, or an error of profd_call(). */
int session_of_all_pause(void);
int session_of_all_resume(void);

/* Writes a capture of all processes to FD (borrowed). Returns 0, -ESRCH, or an error of
 * profd_call(). */
int session_of_all_capture(int fd);

/* Returns whether the program has started one and not stopped it. */
bool session_of_all_is_active(void);

/* Called in a forked child, which has none. */
void session_of_all_after_fork_child(void);

#endif
