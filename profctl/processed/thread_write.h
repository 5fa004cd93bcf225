/* The samples and the markers of a thread, as a processed profile has them. One thread. */
#ifndef PROFD_PROFCTL_THREAD_WRITE_H
#define PROFD_PROFCTL_THREAD_WRITE_H

#include "profctl/processed/processed_payload.h"
#include "json/json_writer.h"
#include "json/mapped_array.h"

/* Writes the member "samples" of the open object. Where the thread tells CPU use, each sample
 * weighs the milliseconds of CPU time that it stands for; else it counts. */
void samples_write(const struct profile_thread *thread, const struct thread_frames *frames,
                   struct json_writer *writer);

/* Memory of markers_write(), kept from thread to thread. A zeroed struct is empty. */
struct marker_lists {
    struct mapped_array markers;     /* uint32_t: of the thread, in the order in which they end */
    struct mapped_array allocations; /* struct payload_allocation */
};

/* Writes the members "markers" and, where there are any, "nativeAllocations". 0, or an error as
 * payload_write(). */
int markers_write(const struct payload_source *source, struct marker_lists *lists,
                  struct json_writer *writer);

void marker_lists_free(struct marker_lists *lists);

#endif
