/* What a profile's "profilingLog" tells of a process: what became of it, and what the kernel
 * charged to it. docs/FORMAT.md says what each member means. One thread. */
#ifndef PROFD_PROFCTL_PROCESS_FATE_H
#define PROFD_PROFCTL_PROCESS_FATE_H

#include "json/json_reader.h"

/* What is not told is NULL, or below 0. */
struct process_fate {
    char *verdict, *outcome, *reason; /* owned */
    double code;                      /* exit status or signal */
    double pid, later_images;
    double cpu_ms, cpu_before_ms;
};

/* Nothing is told. */
void process_fate_init(struct process_fate *fate);

/* Reads the value of "profilingLog", whose key was read, into FATE. Entries of other profilers are
 * passed over. 0, -EPROTO, -ENOMEM, or the reader's error. */
int process_fate_read(struct process_fate *fate, struct json_reader *reader);
void process_fate_free(struct process_fate *fate);

#endif
