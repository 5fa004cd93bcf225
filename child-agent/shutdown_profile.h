/* The profile that a process writes itself when it exits (PROFD_SHUTDOWN), without any profd.
 *
 * Follows the handling of MOZ_PROFILER_SHUTDOWN. One file is one process: the root of the profile
 * is the process itself. Processes that end without exit() write none; what they recorded is kept
 * only under profd. */
#ifndef PROFD_AGENT_SHUTDOWN_PROFILE_H
#define PROFD_AGENT_SHUTDOWN_PROFILE_H

#include <stdbool.h>

/* Remembers PATTERN, and the working directory for one that is relative. 0, or why a file cannot be
 * made there: then nothing will be. From the constructor. */
int shutdown_profile_prepare(const char *pattern);

/* Nothing can be recorded, because of ERR: if a profile was prepared there will be none, and the
 * user is told what to do, in one line on standard error. From the constructor, and in forked
 * children. */
void shutdown_profile_cancel(int error);

/* Writes the profile if it was prepared and a session is active, in whichever process this is by
 * now; tells on standard error when that fails. From the destructor. */
void shutdown_profile_write(void);

/* Whether a profile will be written. */
bool shutdown_profile_is_wanted(void);

#endif
