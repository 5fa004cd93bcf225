/* A descriptor for a process: tells its end, and with a recent kernel how it ended.
 *
 * The only place that knows the kernel's interface for it. Nothing here blocks. */
#ifndef PROFD_DAEMON_PIDFD_H
#define PROFD_DAEMON_PIDFD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Close-on-exec. -ESRCH when PID is gone, or another negative errno. */
int pidfd_of_process(pid_t pid);

/* For the process at the other end of the Unix socket FD, also when it has ended meanwhile
 * (Linux 6.5), else for PID. Close-on-exec. -ESRCH when it is gone, or another negative errno. */
int pidfd_of_peer(int fd, pid_t pid);

/* True when the process has ended (it may still be a zombie). */
bool pidfd_has_ended(int pidfd);

/* True when it was also reaped: its pid may be another process' by now. */
bool pidfd_was_reaped(int pidfd);

/* The wait status of a process that ended. 0; -EAGAIN when it is not reaped yet; -ENOTSUP when this
 * kernel cannot tell (before Linux 6.15). */
int pidfd_wait_status(int pidfd, int *wait_status);

/* A number that no other process ever has while this system runs, or 0 when the kernel has none
 * (before Linux 6.9). */
uint64_t pidfd_identity(int pidfd);

#endif
