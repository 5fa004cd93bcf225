/* What profd-salvage gives up before it looks at an arena.
 *
 * Arenas come from the profiled programs, which may be faulty or hostile. A worker that such an
 * arena takes control of must not be able to do more than write a wrong profile. */
#ifndef PROFD_DAEMON_SALVAGE_SANDBOX_H
#define PROFD_DAEMON_SALVAGE_SANDBOX_H

enum {
    /* Limits on a worker that reads an arena made to keep it busy. */
    SALVAGE_CPU_SECONDS = 120,
    SALVAGE_MEMORY_GIGABYTES = 4, /* addresses; its tables are bounded by the arena's size */
    SALVAGE_OUTPUT_GIGABYTES = 8,
};

/* Closes every descriptor above LAST_FD; limits CPU time, memory, output, descriptors and
 * processes; becomes nobody if it is root; and permits only the system calls for reading, writing
 * and memory: any other ends the process (SIGSYS). Returns 0, or a negative errno: then nothing may
 * be read. To be called once, from the only thread. */
int salvage_sandbox_enter(int last_fd);

#endif
