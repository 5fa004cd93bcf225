/* The common part of the two kinds of processed profile, JSON and slabs: threads are written as
 * they come, what they share is gathered and written after them, and processes that exited may
 * share lanes. The functions are members of struct profile_format, except for those that begin and
 * finish. One thread. */
#ifndef PROFD_PROFCTL_PROCESSED_PROFILE_H
#define PROFD_PROFCTL_PROCESSED_PROFILE_H

#include "profctl/convert/profile_format.h"
#include "profctl/processed/counters_write.h"
#include "profctl/processed/lanes.h"
#include "profctl/processed/processed_meta.h"
#include "profctl/processed/shared_tables.h"
#include "profctl/processed/thread_write.h"

struct processed_profile {
    struct failure_latch latch;
    struct json_writer json; /* the whole profile; with slabs: the list of threads, in memory */
    struct slabs *slabs;     /* NULL: everything is JSON */
    struct shared_tables tables;
    struct processed_meta meta;
    struct thread_frames frames;
    struct thread_rows rows; /* of the current thread */
    struct counter_list counters, lane_counters;
    struct busiest_threads busiest;
    struct counter_owner root, inner; /* the main threads of the current processes */
    uint32_t threads;                 /* written so far */
    uint32_t first_lane; /* index of the first thread of a lane, once the threads have ended */
    struct lanes lanes;
    double interval_ns; /* of the first thread that has one */
};

/* Returns NULL if memory is exhausted. The JSON writer writes to memory until it is given a
 * sink. */
struct processed_profile *processed_profile_create(void);
void processed_profile_end(void *state);

int processed_profile_add_thread(void *state, const struct profile_thread *thread);
int processed_profile_add_counter(void *state, const struct profile_counter *counter);
int processed_profile_add_process(void *state, bool is_root, const struct process_log *log);
int processed_profile_add_meta(void *state, const char *name, const char *json, size_t length);
void processed_profile_merge_exited(void *state, size_t apart);

/* Writes the lanes, ends the list of threads, and settles what the rest depends on. Returns 0 or a
 * negative errno. */
int processed_profile_end_threads(struct processed_profile *profile);

/* Write the value of the member "counters", and the member "meta". Nothing may be added afterwards.
 * The first returns 0 or a negative errno. */
int processed_profile_write_counters(struct processed_profile *profile, struct json_writer *writer);
void processed_profile_write_meta(struct processed_profile *profile,
                                  const struct profile_facts *facts, struct json_writer *writer);

#endif
