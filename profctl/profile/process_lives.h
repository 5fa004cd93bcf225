/* How long each program of a process lived, and what it used.
 *
 * A process that runs another program by exec keeps its clock: what the kernel charged is of all
 * its programs, and each has what was charged from the one before it on. A fork that only runs a
 * program is left out of profiles; then that program has what the fork used, too, and lived from
 * the process' start on. Pure; one thread. */
#ifndef PROFD_PROFCTL_PROCESS_LIVES_H
#define PROFD_PROFCTL_PROCESS_LIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profctl/profile/process_log.h"

/* One program of a process, as a profile describes it. What is not known is below 0. */
struct process_life {
    uint32_t program; /* a name of the report's */
    uint32_t verdict; /* a name, too; UNIQUE_NONE: not known */
    double pid, code;
    double start_ms, wall_ms; /* wall_ms: not known of one that still ran */
    double cpu_ms;
    bool is_least_cpu; /* it used cpu_ms or more */
    char *command;     /* owned; NULL: not known */

    /* What the two above are settled by. */
    double later_images;                  /* of this pid that the profile has */
    bool goes_on;                         /* as another program, by exec */
    double process_start_ms;              /* NAN: not known, … */
    double first_ms, last_ms;             /* … as of these: when its agent began, and its end */
    double charged_ms, charged_before_ms; /* to the process: up to its end, before the profile */
    double recorded_ms;                   /* what its samples say; the caller's */
};

/* What LOG tells, which has to be settled. Program, verdict and command are the caller's. */
struct process_life process_life_of(const struct process_log *log);

/* Settles start_ms, wall_ms and cpu_ms. LIVES are in the order of processes and time then. */
void process_lives_settle(struct process_life *lives, size_t count);

#endif
