/* Descriptors of processes: they show when a process has ended and, on a recent kernel, how it
 * ended.
 *
 * This and common/pidfd.h are the only places that know the kernel's interface. Nothing here
 * blocks. */
#ifndef PROFD_DAEMON_PIDFD_H
#define PROFD_DAEMON_PIDFD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/pidfd.h"

/* Returns a close-on-exec descriptor of the process at the other end of the Unix socket FD, even if
 * that has ended meanwhile (since Linux 6.5), or else of PID; -ESRCH if it is gone, or another
 * negative errno. */
int pidfd_of_peer(int fd, pid_t pid);

/* Returns whether FD, which somebody else may have opened, is a descriptor of a process. False also
 * if the kernel does not say (/proc is not there, or no descriptor is left). */
bool pidfd_is_one(int fd);

/* Returns the pid of the process, or 0 if it has been reaped, or as above. */
pid_t pidfd_number(int pidfd);

/* Returns whether the process has ended. It may still be a zombie. */
bool pidfd_has_ended(int pidfd);

/* Returns whether it was also reaped, so that its pid may belong to another process now. */
bool pidfd_was_reaped(int pidfd);

/* Stores the wait status of a process that has ended. Returns 0, -EAGAIN if it has not been reaped
 * yet, or -ENOTSUP if this kernel does not provide it (before Linux 6.15). */
int pidfd_wait_status(int pidfd, int *wait_status);

#endif
