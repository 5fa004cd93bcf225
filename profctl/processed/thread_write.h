/* Writes a thread of a processed profile. One thread. */
#ifndef PROFD_PROFCTL_THREAD_WRITE_H
#define PROFD_PROFCTL_THREAD_WRITE_H

#include <stddef.h>

#include "profctl/processed/columns.h"
#include "profctl/processed/thread_rows.h"

/* The viewer's name for the first thread of a process. */
#define MAIN_THREAD_NAME "GeckoMain"

/* The identity of a thread; everything is borrowed. Times are NAN if not known. */
struct thread_identity {
    const char *name, *process_name; /* NULL: it has none */
    double pid, tid;                 /* negative: not known */
    double register_ms, unregister_ms, shutdown_ms;
    const char *paused_ranges; /* paused_ranges_of() */
    size_t paused_ranges_length;
};

/* Returns the elements of the process's array of paused ranges, with commas; LENGTH 0: none. */
const char *paused_ranges_of(const struct profile_thread *thread, size_t *length);

/* Writes the thread as a value. */
void thread_write(const struct thread_identity *identity, const struct thread_rows *rows,
                  const struct column_output *output);

/* Writes the member "samples" of the open object. If the thread has CPU use, the weight of a sample
 * is the CPU time in ms that it stands for; else it is 1. */
void samples_write(const struct thread_rows *rows, const struct column_output *output);

/* Writes the members "markers" and, if there are any, "nativeAllocations". */
void markers_write(const struct thread_rows *rows, struct json_writer *writer);

#endif
