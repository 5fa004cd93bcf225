/* The stacks of a thread among those that all threads share. One thread. */
#ifndef PROFD_PROFCTL_THREAD_FRAMES_H
#define PROFD_PROFCTL_THREAD_FRAMES_H

#include <stdint.h>

#include "json/mapped_array.h"
#include "profctl/processed/shared_tables.h"
#include "profctl/profile/profile_walk.h"
#include "profctl/symbols/symbol_cache.h"

/* Memory is kept from thread to thread. A zeroed struct is empty. */
struct thread_frames {
    struct symbol_cache *cache; /* borrowed: names addresses that have no name; NULL: they stay */
    uint64_t named;             /* addresses that it named */
    struct mapped_array is_caller; /* bool, of each stack of the thread */
    struct mapped_array frames;    /* uint32_t: the rows of each frame, called or calling */
    struct mapped_array stacks;    /* uint32_t: the row of each stack */
};

/* Adds the stacks of THREAD to TABLES. 0 or -ENOMEM. */
int thread_frames_take(struct thread_frames *frames, const struct profile_thread *thread,
                       struct shared_tables *tables);

/* The row of STACK of the thread that was taken last. */
uint32_t thread_frames_stack(const struct thread_frames *frames, uint32_t stack);

void thread_frames_free(struct thread_frames *frames);

#endif
