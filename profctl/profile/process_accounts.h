/* The CPU time that processes used in addition to what their samples show.
 *
 * The clock of a process continues when it runs another program, which is another process of the
 * profile: each program has the time that was charged since the previous one. If the clock at such
 * an exec is not known, the two share the account of the later one. Pure; one thread. */
#ifndef PROFD_PROFCTL_PROCESS_ACCOUNTS_H
#define PROFD_PROFCTL_PROCESS_ACCOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profctl/profile/process_log.h"

/* One program of a process, as the profile describes it. Times are in ns. */
struct process_account {
    double pid;          /* the kernel's */
    double later_images; /* of this pid in the profile */
    bool goes_on;        /* continues as another program, by exec */
    bool is_known;       /* the two below are */
    double charged_ns;   /* charged to the process by the kernel until this program ended, … */
    double before_ns;    /* … of which this was before the time that the profile shows */
    double sampled_ns;   /* according to its samples */
    size_t id;           /* for the caller */

    double rest_ns; /* used in addition to the samples */
};

/* Returns the account of a program from LOG; its samples show SAMPLED_NS. */
struct process_account process_account_of(const struct process_log *log, double sampled_ns,
                                          size_t id);

/* Sorts ACCOUNTS by process, and the programs of each process by time, and fills in the rests. */
void process_accounts_settle(struct process_account *accounts, size_t count);

#endif
