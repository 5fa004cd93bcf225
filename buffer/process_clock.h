/* The kernel's clock of what a process has used of CPU time: of all its threads, the ended ones
 * too, and of all programs that it ran, but of none of its children.
 *
 * It can be read until somebody has reaped the process: of a zombie it tells what the process used
 * in all. What wait4() and waitid() tell is something else, since it has in it the children that
 * the process waited for. Any thread of any process may read it; async-signal-safe. */
#ifndef PROFD_BUFFER_PROCESS_CLOCK_H
#define PROFD_BUFFER_PROCESS_CLOCK_H

#include <stdint.h>
#include <sys/types.h>

/* What cannot be told. */
#define PROCESS_CLOCK_UNKNOWN UINT64_MAX

/* The CPU time that PID has used, in ns; PROCESS_CLOCK_UNKNOWN when there is no such process. A pid
 * that was reaped meanwhile may be another process: who waits for it knows that it was not. errno
 * stays as it is. */
uint64_t process_clock_ns(pid_t pid);

#endif
