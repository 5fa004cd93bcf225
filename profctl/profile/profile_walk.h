/* Walks over a Gecko profile as it is read: process by process, thread by thread, with what each
 * sample stands for; or over a .cpuprofile, which is one thread (cpuprofile.h). The one reader of
 * those who report on profiles and convert them; a profile may be larger than memory, a thread may
 * not.
 *
 * All times are on the root's time line, also those of processes whose "meta" has another start.
 * Everything is checked on the way, so what arrives can be followed blindly. One thread. */
#ifndef PROFD_PROFCTL_PROFILE_WALK_H
#define PROFD_PROFCTL_PROFILE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/json_reader.h"
#include "profctl/profile/process_log.h"
#include "profctl/profile/profile_counter.h"
#include "profctl/profile/thread_markers.h"
#include "profctl/profile/thread_samples.h"
#include "profctl/tables/process_libraries.h"
#include "profctl/tables/thread_tables.h"

/* A thread that was read; all of it is the walk's, until the call returns. */
struct profile_thread {
    const char *name, *process_name;   /* NULL: it has none */
    double pid, tid;                   /* negative: not known */
    bool is_of_root;                   /* of the process that has the others in it … */
    bool was_of_root;                  /* … or had, before captures were merged */
    double register_ms, unregister_ms; /* when it began and ended; NAN: not known */
    bool knows_cpu;                    /* its samples tell CPU use */
    double interval_ns; /* of its samples, as its process or the session tells; 0: not known */
    const struct thread_tables *tables;
    const struct process_libraries *libraries;
    const struct profile_sample *samples; /* in the order of the profile */
    size_t sample_count;
    double not_sampled_ns; /* CPU time that no sample stands for */
    double shift_ms; /* from times that stay as they are written, in payloads, to the root's line */
    const struct thread_markers *markers; /* empty for those who do not want them */
    const char *paused_ranges;            /* of its process, as they are written; NULL: not known */
    size_t paused_ranges_length;
};

/* Returns whether THREAD is profd's own, which is not what was profiled: it is of a root, and has
 * no stacks. */
static inline bool profile_thread_is_of_profd(const struct profile_thread *thread)
{
    return (thread->is_of_root || thread->was_of_root) && thread->tables->stacks.count == 0;
}

/* The CPU time that THREAD's samples tell of, in ns. */
double profile_thread_cpu_ns(const struct profile_thread *thread);

/* What the walk meets. Each returns 0, or a negative errno that ends the walk; all but on_thread
 * may be NULL. */
struct profile_walk_events {
    int (*on_thread)(void *owner, const struct profile_thread *thread);
    /* All of a process was read; LOG may be moved away, and is initialized anew then. The root has
     * the others in it, so it comes last, and its threads may come before theirs. */
    int (*on_process)(void *owner, bool is_root, struct process_log *log);
    /* A counter of the process whose threads came before, and whose end comes next. */
    int (*on_counter)(void *owner, const struct profile_counter *counter);
    /* A member of "meta", as it is written, of the root or of a process: where both have one, they
     * say the same. Those that the walk itself tells of are left out. JSON is not terminated. */
    int (*on_meta)(void *owner, const char *name, const char *json, size_t length);
    bool wants_markers;
};

/* What the profile as a whole tells. */
struct profile_facts {
    uint64_t asked_ns;    /* the session's interval; 0: not known */
    double start_unix_ms; /* of the time line; 0: not known */
};

/* Reads all of READER. FACTS are complete where the root's "meta" comes first, as it does. Returns
 * 0, -EPROTO if it is not one, -ENOMEM, the reader's error, or that of a call. */
int profile_walk(struct json_reader *reader, const struct profile_walk_events *events, void *owner,
                 struct profile_facts *facts);

#endif
