/* What became of processes, where it was no good end: killed, crashed, failed, frozen; and which
 * were not profiled, why, and how much CPU time they used.
 *
 * Processes of one name with one fate count together. One thread. */
#ifndef PROFD_PROFCTL_REPORT_FATES_H
#define PROFD_PROFCTL_REPORT_FATES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "json/mapped_array.h"

struct report_end {
    char *name;    /* of the processes; owned */
    char *verdict; /* as in the profile; owned */
    int code;      /* exit status or signal */
    uint64_t processes;
};

struct report_absence {
    char *name, *reason; /* owned */
    uint64_t processes;
    uint64_t unknown; /* of them, those whose CPU time is not known */
    double cpu_ns;
};

/* A zeroed struct has none. */
struct report_fates {
    struct mapped_array ends;     /* struct report_end, the most frequent first once sorted */
    struct mapped_array absences; /* struct report_absence, by CPU time */
};

/* Notes how a process ended, unless it ended well or still runs. Returns 0 or -ENOMEM. */
int report_fates_note_end(struct report_fates *fates, const char *name, const char *verdict,
                          int code);
/* Notes a process that was not profiled; CPU_NS negative: unknown. Returns 0 or -ENOMEM. */
int report_fates_note_absence(struct report_fates *fates, const char *name, const char *reason,
                              double cpu_ns);
void report_fates_sort(struct report_fates *fates);
void report_fates_free(struct report_fates *fates);

/* "crashed by SIGSEGV", "killed by SIGTERM", "exited with status 3", … */
enum { REPORT_END_TEXT_BYTES = 64 };
const char *report_end_text(const struct report_end *end, char out[REPORT_END_TEXT_BYTES]);

/* The name of signal NUMBER, as "SIGSEGV"; NULL: it has none. */
const char *report_signal_name(int number, char out[REPORT_END_TEXT_BYTES]);

#endif
