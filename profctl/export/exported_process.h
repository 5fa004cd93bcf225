/* One program of a process, as it is told to servers. Pure. */
#ifndef PROFD_PROFCTL_EXPORTED_PROCESS_H
#define PROFD_PROFCTL_EXPORTED_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "profctl/profile/process_log.h"

/* What became of one program of a process. */
enum exported_end {
    EXPORTED_LIVES,
    EXPORTED_WENT_ON, /* its process became another program */
    EXPORTED_ENDED,   /* its pid may be another process' by now */
};

/* What is known about one program of a process. Strings are views. */
struct exported_process {
    const char *program; /* the file name … */
    const char *kind;    /* … and the process's own name, if it differs; else "" */
    const char *build_id;
    const char *labels;       /* from its environment; NULL: not known … */
    uint64_t labels_left_out; /* … and the number of labels left out there */
    int64_t pid, parent_pid;  /* as in the kernel; negative: not known … */
    int64_t seen_ns;          /* … and when both were: CLOCK_MONOTONIC; likewise */
    uint32_t later_images;    /* programs with that pid that came after it */
    enum exported_end end;
    bool has_agent; /* then no LABELS means that it was given none */
};

/* Returns what LOG, whose times are ms behind REFERENCE_NS, says of a program whose process is
 * called NAME; BUILD_ID is to be set by the caller. */
struct exported_process exported_process_of(const struct process_log *log, int64_t reference_ns,
                                            const char *name);

#endif
