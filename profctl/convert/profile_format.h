/* Formats that profiles can be converted to, found by name or by the ending of a file name. Each
 * writes while it reads, thread by thread. One thread. */
#ifndef PROFD_PROFCTL_PROFILE_FORMAT_H
#define PROFD_PROFCTL_PROFILE_FORMAT_H

#include <stdbool.h>

#include "json/json_writer.h"
#include "profctl/profile/profile_walk.h"

struct profile_comparison;

struct profile_format {
    const char *name;
    const char *ending;  /* of files, without .gz */
    const char *summary; /* for people */

    /* Begins a file. Returns 0 with the state for the other calls in *OUT, or -ENOMEM. */
    int (*begin)(json_sink_write write, void *context, void **out);
    /* Takes a thread. Returns 0 or a negative errno. */
    int (*add_thread)(void *state, const struct profile_thread *thread);
    /* Optional parts; NULL: not used. A counter of the process whose threads came before, and a
     * member of "meta" (profile_walk.h). Each returns 0 or a negative errno. */
    int (*add_counter)(void *state, const struct profile_counter *counter);
    int (*add_meta)(void *state, const char *name, const char *json, size_t length);
    /* Takes the process whose threads and counters came before. LOG stays the caller's. */
    int (*add_process)(void *state, bool is_root, const struct process_log *log);
    /* Sets how many exited processes are shown separately before others share lanes
     * (processed/lanes.h); called before the first thread. NULL: all are. */
    void (*merge_exited)(void *state, size_t apart);
    /* Takes what has changed since another profile; called before the first thread. Returns 0 or a
     * negative errno. */
    int (*compare)(void *state, const struct profile_comparison *comparison);
    bool wants_markers; /* of threads */
    bool wants_profd;   /* takes profd's own thread, which has its counters, as well */
    /* Called after all threads: writes what is left. Returns 0, or the first error of WRITE. */
    int (*finish)(void *state, const struct profile_facts *facts);
    /* Frees what begin() made; always called. */
    void (*end)(void *state);

    bool is_of_one_thread; /* a file holds one thread only: add_thread() is called once */
};

extern const struct profile_format format_collapsed, format_speedscope, format_pprof,
    format_callgrind, format_trace, format_cpuprofile, format_html, format_processed, format_jslb;

/* Return the format with that name, or for that file; NULL: none. */
const struct profile_format *profile_format_named(const char *name);
const struct profile_format *profile_format_of_file(const char *path);

/* All formats, in the order in which they are listed; ends with NULL. */
extern const struct profile_format *const profile_formats[];

#endif
