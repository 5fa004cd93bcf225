/* What processes used of CPU time beyond what their samples say.
 *
 * A process' clock continues when it runs another program, which is another process of the
 * profile: each program has what was charged since the one before it. If the clock at such an exec
 * is not known, the two share the account of the later one. Pure; one thread. */
#ifndef PROFD_PROFCTL_PROCESS_ACCOUNTS_H
#define PROFD_PROFCTL_PROCESS_ACCOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profctl/profile/process_log.h"

/* One program of a process, as the profile describes it. Times are in ns. */
struct process_account {
    double pid;          /* the kernel's */
    double later_images; /* of this pid that the profile has */
    bool goes_on;        /* as another program, by exec */
    bool is_known;       /* the two below are */
    double charged_ns;   /* what the kernel had charged to the process when this one ended, … */
    double before_ns;    /* … of which this was before what the profile shows */
    double sampled_ns;   /* what its samples say */
    size_t id;           /* the caller's */

    double rest_ns; /* what was used beyond the samples */
};

/* What LOG says about a program whose samples say SAMPLED_NS. */
struct process_account process_account_of(const struct process_log *log, double sampled_ns,
                                          size_t id);

/* Orders ACCOUNTS by process, each process' programs in the order of time, and fills in the rests.
 */
void process_accounts_settle(struct process_account *accounts, size_t count);

#endif
