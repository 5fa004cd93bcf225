/* Maps the stacks of a thread to those that all threads share. One thread. */
#ifndef PROFD_PROFCTL_THREAD_FRAMES_H
#define PROFD_PROFCTL_THREAD_FRAMES_H

#include <stdint.h>

#include "json/mapped_array.h"
#include "profctl/processed/shared_tables.h"
#include "profctl/profile/profile_walk.h"
#include "profctl/symbols/symbol_cache.h"

/* Memory is reused for the next thread. A zeroed struct is empty. */
struct thread_frames {
    struct symbol_cache *cache;    /* borrowed; for addresses without names; NULL: they stay */
    uint64_t named;                /* addresses named with it */
    struct mapped_array is_caller; /* bool, for each stack of the thread */
    struct mapped_array
        frames; /* uint32_t: the rows of each frame, as innermost frame and as caller */
    struct mapped_array stacks; /* uint32_t: the row of each stack */
};

/* Adds the stacks of THREAD to TABLES. Returns 0 or -ENOMEM. */
int thread_frames_take(struct thread_frames *frames, const struct profile_thread *thread,
                       struct shared_tables *tables);

/* Returns the row of STACK of the last thread taken. */
uint32_t thread_frames_stack(const struct thread_frames *frames, uint32_t stack);

void thread_frames_free(struct thread_frames *frames);

#endif
