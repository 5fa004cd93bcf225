/* A walk over a profile under way, for the files that make it (profile_walk.h): the file as a
 * whole, and its threads. */
#ifndef PROFD_PROFCTL_PROFILE_WALK_INSIDE_H
#define PROFD_PROFCTL_PROFILE_WALK_INSIDE_H

#include "json/json_writer.h"
#include "profctl/profile/cpuprofile.h"
#include "profctl/profile/late_members.h"
#include "profctl/profile/profile_walk.h"
#include "profctl/tables/profile_kind.h"

struct walk {
    struct json_reader *reader;
    const struct profile_walk_events *events;
    void *owner;
    struct profile_facts *facts;
    struct profile_kind kind;
    double cpu_unit_ns;    /* of threadCPUDelta; negative: none that is known */
    bool has_guessed_unit; /* samples were read before one was told */
    bool knows_unit;

    struct process_log log;             /* of the current process, … */
    uint64_t own_interval_ns;           /* … between samples, by its "meta"; 0: not known … */
    double shift_ms;                    /* … from its times to the root's … */
    bool was_root;                      /* … whether it was one before a merge … */
    struct process_libraries libraries; /* … its libraries … */
    struct mapped_array paused_ranges;  /* … and char: when it was paused, as it is written */
    struct json_writer nowhere;
    struct failure_latch latch; /* of that writer */

    /* Of the root (1) and the inner process at hand (0): counters are told behind the threads, and
     * those that came before, as Firefox writes them, are kept: char. */
    bool has_threads[2];
    struct mapped_array late_counters[2];

    struct thread_tables tables; /* of the current thread … */
    char *thread_name, *process_name;
    double pid, tid;
    double register_ms, unregister_ms;
    struct thread_samples samples;
    struct thread_markers markers;
    struct late_members late;

    struct profile_counter counter; /* the current counter */
    struct cpuprofile cpuprofile;   /* all of it, when the file is one */
    struct mapped_array meta_value; /* char: what a member of "meta" says */
};

/* Calls MEMBER behind each key of an object whose start was read. */
int walk_each_member(struct walk *walk, int (*member)(struct walk *walk));

/* Reads a thread, whose start was read, and tells of it: of the root's own, where IS_ROOT. */
int walk_thread(struct walk *walk, bool is_root);

/* The two ends of that, for a thread that is read otherwise. */
void walk_begin_thread(struct walk *walk);
int walk_tell_thread(struct walk *walk, bool is_root);

#endif
