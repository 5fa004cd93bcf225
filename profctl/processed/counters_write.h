/* The counters of a profile, which come between its threads and are written behind them: kept as
 * text in a file without a name, since they may be more than fit into memory. One thread. */
#ifndef PROFD_PROFCTL_COUNTERS_WRITE_H
#define PROFD_PROFCTL_COUNTERS_WRITE_H

#include <stdint.h>
#include <stdio.h>

#include "json/failure_latch.h"
#include "json/json_writer.h"
#include "profctl/profile/profile_counter.h"

/* Whose counter it is. */
struct counter_owner {
    double pid;
    uint32_t main_thread; /* among the threads of the profile, or some of them */
};

/* A zeroed struct has none. */
struct counter_list {
    struct failure_latch latch;
    FILE *file; /* NULL before the first counter */
    struct json_writer text;
};

/* Keeps COUNTER, unless it has no samples. 0, -ENOMEM, or the error of the file. */
int counter_list_add(struct counter_list *list, const struct profile_counter *counter,
                     const struct counter_owner *owner);

/* Writes the counters into an open array, with main threads that are counted from FIRST_THREAD on;
 * nothing may be added afterwards. 0 or the error of the file. */
int counter_list_write(struct counter_list *list, uint32_t first_thread,
                       struct json_writer *writer);

void counter_list_free(struct counter_list *list);

#endif
