/* Which programs of the config run: for the profd that takes the place of a killed one.
 *
 * Loop thread. */
#ifndef PROFD_DAEMON_PROGRAM_FILE_H
#define PROFD_DAEMON_PROGRAM_FILE_H

#include "daemon/programs/programs.h"

#define PROGRAM_FILE_NAME "programs" /* SOCKET.programs */

/* As kept_file_write(). */
int program_file_write(const char *socket_path, const struct programs *programs);

/* Calls MEET for each program that the killed profd had: its NAME, whether it IS_OVER, and the PID
 * it runs as (0: it did not run, or runs no more). As kept_file_read(). */
int program_file_read(const char *socket_path,
                      void (*meet)(const char *name, bool is_over, pid_t pid, void *context),
                      void *context);

void program_file_remove(const char *socket_path);

#endif
