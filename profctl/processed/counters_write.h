/* The counters of a profile. They come between the threads and are written after them, so they are
 * kept as text in an unnamed file, since they may not fit into memory. One thread. */
#ifndef PROFD_PROFCTL_COUNTERS_WRITE_H
#define PROFD_PROFCTL_COUNTERS_WRITE_H

#include <stdint.h>
#include <stdio.h>

#include "json/failure_latch.h"
#include "json/json_writer.h"
#include "profctl/profile/profile_counter.h"

/* The process of a counter. */
struct counter_owner {
    double pid;
    uint32_t main_thread; /* index among the threads of the profile, or of a part of it */
};

/* A zeroed struct is empty. */
struct counter_list {
    struct failure_latch latch;
    FILE *file; /* NULL before the first counter */
    struct json_writer text;
};

/* Keeps COUNTER, unless it has no samples. Returns 0, -ENOMEM, or the error of the file. */
int counter_list_add(struct counter_list *list, const struct profile_counter *counter,
                     const struct counter_owner *owner);

/* Writes the counters to an open array, with FIRST_THREAD added to the indices of main threads.
 * Nothing may be added afterwards. Returns 0 or the error of the file. */
int counter_list_write(struct counter_list *list, uint32_t first_thread,
                       struct json_writer *writer);

void counter_list_free(struct counter_list *list);

#endif
