/* A thread of a processed profile. One thread. */
#ifndef PROFD_PROFCTL_THREAD_WRITE_H
#define PROFD_PROFCTL_THREAD_WRITE_H

#include <stddef.h>

#include "profctl/processed/columns.h"
#include "profctl/processed/thread_rows.h"

/* What the viewer calls the first thread of a process. */
#define MAIN_THREAD_NAME "GeckoMain"

/* Which thread it is; all is borrowed. Times: NAN: not told. */
struct thread_identity {
    const char *name, *process_name; /* NULL: it has none */
    double pid, tid;                 /* below 0: not told */
    double register_ms, unregister_ms, shutdown_ms;
    const char *paused_ranges; /* paused_ranges_of() */
    size_t paused_ranges_length;
};

/* The elements of the array that THREAD's process tells, with their commas; none: LENGTH is 0. */
const char *paused_ranges_of(const struct profile_thread *thread, size_t *length);

/* Writes the thread as a value. */
void thread_write(const struct thread_identity *identity, const struct thread_rows *rows,
                  const struct column_output *output);

/* Writes the member "samples" of the open object. Where the thread tells CPU use, each sample
 * weighs the milliseconds of CPU time that it stands for; else it counts. */
void samples_write(const struct thread_rows *rows, const struct column_output *output);

/* Writes the members "markers" and, where there are any, "nativeAllocations". */
void markers_write(const struct thread_rows *rows, struct json_writer *writer);

#endif
