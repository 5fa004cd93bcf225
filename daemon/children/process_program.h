/* What a running process is, as /proc shows it: its program, and why its agent is not there. */
#ifndef PROFD_DAEMON_PROCESS_PROGRAM_H
#define PROFD_DAEMON_PROCESS_PROGRAM_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#include "ipc/messages.h"

enum { PROCESS_NAME_BYTES = 64 };

struct process_program {
    char path[PATH_MAX]; /* of its executable; of what may not be looked at, the name alone */
    enum recording_obstacle obstacle; /* OBSTACLE_NONE: nothing that could be seen */
};

/* What is left of a process that has ended and was not reaped. */
struct process_remains {
    uint64_t cpu_ns;               /* PROCESS_CLOCK_UNKNOWN */
    uint64_t start_ns;             /* as of struct process_sighting; 0: not known */
    char name[PROCESS_NAME_BYTES]; /* as the kernel calls it; "": not known */
};
void process_remains_read(pid_t pid, struct process_remains *out);

/* LIBRARY is the path of the agent. 0, or -ESRCH when PID has ended. */
int process_program_read(pid_t pid, const char *library, struct process_program *out);

#endif
