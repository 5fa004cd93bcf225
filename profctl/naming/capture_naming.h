/* From profd's raw capture to one with names, whatever a process did to its own profile: a profile
 * that is damaged is left out and named, and costs nothing else.
 *
 * One thread. */
#ifndef PROFD_PROFCTL_CAPTURE_NAMING_H
#define PROFD_PROFCTL_CAPTURE_NAMING_H

#include <stddef.h>
#include <stdint.h>

#include "profctl/capture/capture_result.h"
#include "profctl/naming/symbolicate.h"

enum { CAPTURE_PROBLEM_BYTES = 256 };

/* Where the named capture goes. */
struct capture_sink {
    int (*write)(void *context, const char *bytes, size_t count);
    /* Lets go of what was written: it comes again. 0 or a negative errno. */
    int (*restart)(void *context);
    void *context;
};

/* Is told after each thread how much of the raw capture was read. */
struct capture_naming_progress {
    void (*on_thread)(void *context, uint64_t bytes_read);
    void *context;
};

/* Names profd's capture behind RAW_FD into SINK. Profiles that are left out move from the places of
 * RESULT to what it says is missing. CACHE NULL leaves all addresses, ARCHIVE has what generated
 * code is called (NULL: it is looked for here), PROGRESS may be NULL. 0, or a negative errno;
 * PROBLEM (CAPTURE_PROBLEM_BYTES) is then filled when it is the raw capture that cannot be used,
 * and empty otherwise. */
int capture_naming_run(int raw_fd, struct capture_result *result, struct symbol_cache *cache,
                       const struct jit_archive *archive, const struct capture_sink *sink,
                       const struct capture_naming_progress *progress,
                       struct capture_counts *counts, char problem[CAPTURE_PROBLEM_BYTES]);

#endif
