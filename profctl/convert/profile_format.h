/* Formats that profiles are converted to: one table for each, found by name or by the ending of a
 * file's name. Each writes as it reads, thread by thread. One thread. */
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

    /* Begins a file. 0 with what the other calls get in *OUT, or -ENOMEM. */
    int (*begin)(json_sink_write write, void *context, void **out);
    /* A thread of the profile. 0 or a negative errno. */
    int (*add_thread)(void *state, const struct profile_thread *thread);
    /* What else a format has a use for; NULL: none. A counter of the process whose threads came
     * before, and a member of "meta" (profile_walk.h). 0 or a negative errno. */
    int (*add_counter)(void *state, const struct profile_counter *counter);
    int (*add_meta)(void *state, const char *name, const char *json, size_t length);
    /* The process whose threads and counters came before. LOG stays the caller's. */
    int (*add_process)(void *state, bool is_root, const struct process_log *log);
    /* How many processes that exited are seen apart, before others share lanes (processed/lanes.h);
     * to be said before the first thread. NULL: all. */
    void (*merge_exited)(void *state, size_t apart);
    /* What has changed since another profile; to be said before the first thread. 0 or a negative
     * errno. */
    int (*compare)(void *state, const struct profile_comparison *comparison);
    bool wants_markers; /* of threads */
    bool wants_profd;   /* profd's own thread, too, which has its counters */
    /* All threads were added: writes what is left. 0, or the first error of WRITE. */
    int (*finish)(void *state, const struct profile_facts *facts);
    /* Frees what begin() made; always. */
    void (*end)(void *state);

    bool is_of_one_thread; /* a file has room for no more: add_thread() is called once */
};

extern const struct profile_format format_collapsed, format_speedscope, format_pprof,
    format_callgrind, format_trace, format_cpuprofile, format_html, format_processed, format_jslb;

/* NULL: there is none. */
const struct profile_format *profile_format_named(const char *name);
const struct profile_format *profile_format_of_file(const char *path);

/* All of them, in the order in which they are told to people; ends with NULL. */
extern const struct profile_format *const profile_formats[];

#endif
