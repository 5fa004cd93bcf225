/* What tells a process from all others that are or were on this system: unlike a pid, it is never
 * used again, and it is the same in all pid namespaces. Async-signal-safe; preserves errno. */
#ifndef PROFD_COMMON_PROCESS_IDENTITY_H
#define PROFD_COMMON_PROCESS_IDENTITY_H

#include <stdint.h>
#include <sys/types.h>

/* Returns the identity of the process that PIDFD stands for, also if that has been reaped; 0 if it
 * is no pidfd, or if the kernel does not provide one (before Linux 6.9). */
uint64_t process_identity(int pidfd);

/* Returns the same of PID, which opens a descriptor and closes it; 0 also if there is no such
 * process. */
uint64_t process_identity_of_pid(pid_t pid);

#endif
