/* The profile that a process writes itself when it exits (PROFD_SHUTDOWN), without profd.
 *
 * Modelled on the handling of MOZ_PROFILER_SHUTDOWN. One file describes one process, which is the
 * root of the profile. A process that ends without exit() writes no profile; what it recorded is
 * kept only under profd. */
#ifndef PROFD_AGENT_SHUTDOWN_PROFILE_H
#define PROFD_AGENT_SHUTDOWN_PROFILE_H

#include <stdbool.h>

/* Remembers PATTERN, and the working directory if PATTERN is relative. Returns 0, or an error that
 * tells why a file cannot be created there; no profile will be written then. Called from the
 * constructor. */
int shutdown_profile_prepare(const char *pattern);

/* Cancels a prepared profile because nothing can be recorded, for the reason ERROR. Tells the user
 * what to do, in one line on standard error. Called from the constructor and in forked children. */
void shutdown_profile_cancel(int error);

/* Writes the profile if it was prepared and a session is active, for whichever process this is now.
 * Reports a failure on standard error. Called from the destructor. */
void shutdown_profile_write(void);

/* Returns whether a profile will be written. */
bool shutdown_profile_is_wanted(void);

#endif
