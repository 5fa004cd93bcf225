/* A file that says which programs of the config are running, for the profd that takes the place of
 * a killed one.
 *
 * Loop thread. */
#ifndef PROFD_DAEMON_PROGRAM_FILE_H
#define PROFD_DAEMON_PROGRAM_FILE_H

#include "daemon/programs/programs.h"

#define PROGRAM_FILE_NAME "programs" /* SOCKET.programs */

/* Returns as kept_file_write(). */
int program_file_write(const char *socket_path, const struct programs *programs);

/* Calls MEET for each program of the killed profd: its NAME, whether it IS_OVER, and its PID (0: it
 * was not running, or is no longer). Returns as kept_file_read(). */
int program_file_read(const char *socket_path,
                      void (*meet)(const char *name, bool is_over, pid_t pid, void *context),
                      void *context);

void program_file_remove(const char *socket_path);

#endif
