/* What profd-salvage gives up before it looks at an arena.
 *
 * Arenas come from the programs that are profiled, which may be wrong or hostile. A worker that one
 * of them takes over must not be able to do anything but to write a wrong profile. */
#ifndef PROFD_DAEMON_SALVAGE_SANDBOX_H
#define PROFD_DAEMON_SALVAGE_SANDBOX_H

enum {
    /* Bounds on a worker that meets an arena made to keep it busy. */
    SALVAGE_CPU_SECONDS = 120,
    SALVAGE_MEMORY_GIGABYTES = 4, /* addresses; its tables are bounded by the arena's size */
    SALVAGE_OUTPUT_GIGABYTES = 8,
};

/* Closes every descriptor above LAST_FD, bounds CPU time, memory, output, descriptors and
 * processes, becomes nobody if it is root, and leaves itself the system calls of reading, writing
 * and memory; any other one ends the process (SIGSYS). 0, or a negative errno: then nothing may be
 * read. Once, from the only thread. */
int salvage_sandbox_enter(int last_fd);

#endif
