/* Converts profd's raw capture to one with names. Processes can damage their own profiles: a
 * damaged profile is left out and reported, and affects nothing else.
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
    /* Discards what was written, which will be written again. Returns 0 or a negative errno. */
    int (*restart)(void *context);
    void *context;
};

/* Called after each thread with how much of the raw capture has been read. */
struct capture_naming_progress {
    void (*on_thread)(void *context, uint64_t bytes_read);
    void *context;
};

/* Reads profd's capture from RAW_FD and writes it with names to SINK. Profiles that are left out
 * are moved from the places of RESULT to its text of what is missing. With CACHE NULL all addresses
 * stay. ARCHIVE has the names of generated code (NULL: they are looked up on this machine).
 * PROGRESS may be NULL. Returns 0 or a negative errno; PROBLEM (CAPTURE_PROBLEM_BYTES) is then
 * filled if the raw capture cannot be used, and empty otherwise. */
int capture_naming_run(int raw_fd, struct capture_result *result, struct symbol_cache *cache,
                       const struct jit_archive *archive, const struct capture_sink *sink,
                       const struct capture_naming_progress *progress,
                       struct capture_counts *counts, char problem[CAPTURE_PROBLEM_BYTES]);

#endif
