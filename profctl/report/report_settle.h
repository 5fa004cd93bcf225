/* What the processes of a report used beyond their samples, which of them were not profiled, and
 * how they ended. One thread. */
#ifndef PROFD_PROFCTL_REPORT_SETTLE_H
#define PROFD_PROFCTL_REPORT_SETTLE_H

#include <stdbool.h>
#include <stddef.h>

#include "profctl/profile/process_log.h"
#include "profctl/report/report.h"

/* A process that was read. */
struct seen_process {
    struct process_log log;       /* owned */
    struct report_process *group; /* that of its name */
    struct report_thread *thread; /* in there, of one of its threads */
    uint64_t samples;
    double sampled_ns; /* that they say */
};

/* Puts what is known of SEEN's processes into REPORT, which has their threads. SEEN is freed with
 * what it owns by seen_processes_free(). Returns 0 or -ENOMEM. */
int report_settle(struct report *report, const struct mapped_array *seen);
void seen_processes_free(struct mapped_array *seen);

#endif
