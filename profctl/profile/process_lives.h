/* The duration and CPU time of each program of a process.
 *
 * A process that runs another program by exec keeps its clock: the kernel charges the CPU time of
 * all its programs together, and each program has what was charged since the previous one. A fork
 * that only runs a program is left out of profiles; that program then includes what the fork used,
 * and its life begins at the start of the process. Pure; one thread. */
#ifndef PROFD_PROFCTL_PROCESS_LIVES_H
#define PROFD_PROFCTL_PROCESS_LIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profctl/profile/process_log.h"

/* One program of a process, as a profile describes it. Unknown numbers are negative. */
struct process_life {
    uint32_t program; /* a name of the report */
    uint32_t verdict; /* likewise; UNIQUE_NONE: not known */
    double pid, code;
    double start_ms, wall_ms; /* wall_ms: not known if it was still running */
    double cpu_ms;
    bool is_least_cpu; /* it used cpu_ms or more */
    char *command;     /* owned; NULL: not known */

    /* Input for process_lives_settle(). */
    double later_images;      /* of this pid in the profile */
    bool goes_on;             /* continues as another program, by exec */
    double process_start_ms;  /* NAN: not known */
    double first_ms, last_ms; /* start of its agent, and its end; likewise */
    double charged_ms,
        charged_before_ms; /* to the process: until its end, and before the profile */
    double recorded_ms;    /* according to its samples; set by the caller */
};

/* Returns the life of a program from LOG, which has yet to be settled. The caller sets program,
 * verdict and command. */
struct process_life process_life_of(const struct process_log *log);

/* Computes start_ms, wall_ms and cpu_ms. Sorts LIVES by process and time. */
void process_lives_settle(struct process_life *lives, size_t count);

#endif
