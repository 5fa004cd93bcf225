/* A profile that is read in one format and written in another, thread by thread, by whoever chooses
 * the threads. One thread. */
#ifndef PROFD_PROFCTL_CONVERSION_H
#define PROFD_PROFCTL_CONVERSION_H

#include <stdbool.h>
#include <stdint.h>

#include "profctl/convert/profile_format.h"

struct conversion {
    const struct profile_format *format; /* to be set, as the next two: where the bytes go */
    json_sink_write write;
    void *context;

    void *state;
    int write_error;  /* the first one of WRITE; 0: none */
    uint64_t threads; /* that were converted */
};

/* The steps. Each returns 0, the error of the format, or of write. The last frees what
 * the first made; always, and safe to repeat. */
int conversion_begin(struct conversion *conversion);
/* How many processes that exited are seen apart (profile_format.h); for formats that can tell. */
void conversion_merge_exited(struct conversion *conversion, size_t apart);
/* What has changed since another profile; for formats that can tell. */
int conversion_compare(struct conversion *conversion, const struct profile_comparison *comparison);
int conversion_add(struct conversion *conversion, const struct profile_thread *thread);
/* For formats that have a use for it alone. */
int conversion_add_counter(struct conversion *conversion, const struct profile_counter *counter);
int conversion_add_meta(struct conversion *conversion, const char *name, const char *json,
                        size_t length);
int conversion_add_process(struct conversion *conversion, bool is_root,
                           const struct process_log *log);
int conversion_finish(struct conversion *conversion, const struct profile_facts *facts);
void conversion_end(struct conversion *conversion);

/* Whether FORMAT has a use for THREAD when no threads are chosen. */
bool conversion_wants(const struct profile_format *format, const struct profile_thread *thread);

/* Of ALL events of a walk, those that FORMAT has a use for. */
struct profile_walk_events conversion_events(const struct profile_format *format,
                                             struct profile_walk_events all);

#endif
