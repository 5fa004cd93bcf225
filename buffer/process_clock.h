/* The kernel's CPU-time clock of a process. It counts all threads of the process, also those that
 * have ended, and all programs that the process has run, but not its children.
 *
 * The clock can be read until the process has been reaped; for a zombie it gives the total. wait4()
 * and waitid() report something else: their times include the children that the process waited for.
 * Any thread of any process may read the clock. Async-signal-safe. */
#ifndef PROFD_BUFFER_PROCESS_CLOCK_H
#define PROFD_BUFFER_PROCESS_CLOCK_H

#include <stdint.h>
#include <sys/types.h>

/* The CPU time cannot be read. */
#define PROCESS_CLOCK_UNKNOWN UINT64_MAX

/* Returns the CPU time of process PID in ns, or PROCESS_CLOCK_UNKNOWN if there is no such process.
 * After PID has been reaped, the number may belong to another process; only the one who waits for
 * PID can rule that out. Preserves errno. */
uint64_t process_clock_ns(pid_t pid);

#endif
