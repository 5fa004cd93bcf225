/* Descriptors of processes, and the identities of these: what tells a process from all others that
 * are or were on this system. Unlike a pid, an identity is never used again, and it is the same in
 * all pid namespaces. What else profd asks of them is in daemon/children/pidfd.h.
 * Async-signal-safe. */
#ifndef PROFD_COMMON_PIDFD_H
#define PROFD_COMMON_PIDFD_H

#include <stdint.h>
#include <sys/types.h>

/* Returns a close-on-exec descriptor of PID, -ESRCH if PID is gone, or another negative errno. */
int pidfd_of_process(pid_t pid);

/* Returns the identity of the process that PIDFD stands for, also if that has been reaped; 0 if it
 * is no pidfd, or if the kernel does not provide one (before Linux 6.9). Preserves errno. */
uint64_t pidfd_identity(int pidfd);

/* Returns the same of PID, which opens a descriptor and closes it; 0 also if there is no such
 * process. Preserves errno. */
uint64_t pidfd_identity_of_process(pid_t pid);

#endif
