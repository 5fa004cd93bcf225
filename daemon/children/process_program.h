/* The program of a running process, as /proc shows it, and why the process has no agent. */
#ifndef PROFD_DAEMON_PROCESS_PROGRAM_H
#define PROFD_DAEMON_PROCESS_PROGRAM_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#include "ipc/messages.h"

enum { PROCESS_NAME_BYTES = 64 };

struct process_program {
    char path[PATH_MAX]; /* path of its executable; only the name if access is denied */
    enum recording_obstacle obstacle; /* OBSTACLE_NONE: none that is visible */
};

/* What remains of a process that has ended and was not reaped. */
struct process_remains {
    uint64_t cpu_ns;               /* or PROCESS_CLOCK_UNKNOWN */
    uint64_t start_ns;             /* as in struct process_sighting; 0: not known */
    char name[PROCESS_NAME_BYTES]; /* the kernel's name for it; "": not known */
};
void process_remains_read(pid_t pid, struct process_remains *out);

/* Reads the program of PID. LIBRARY is the path of the agent's library. Returns 0, or -ESRCH if PID
 * has ended. */
int process_program_read(pid_t pid, const char *library, struct process_program *out);

#endif
