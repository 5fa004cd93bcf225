/* The conversion of a profile to another format, thread by thread. The caller chooses the threads.
 * One thread. */
#ifndef PROFD_PROFCTL_CONVERSION_H
#define PROFD_PROFCTL_CONVERSION_H

#include <stdbool.h>
#include <stdint.h>

#include "profctl/convert/profile_format.h"

struct conversion {
    const struct profile_format *format; /* set this and the next two, which are the sink, first */
    json_sink_write write;
    void *context;

    void *state;
    int write_error;  /* the first one of WRITE; 0: none */
    uint64_t threads; /* converted so far */
};

/* The steps. Each returns 0, or an error of the format or of write. conversion_end() frees what
 * conversion_begin() made; it must always be called, and is safe to repeat. */
int conversion_begin(struct conversion *conversion);
/* Sets how many exited processes are shown separately (profile_format.h), if the format supports
 * that. */
void conversion_merge_exited(struct conversion *conversion, size_t apart);
/* Passes on what has changed since another profile, if the format supports that. */
int conversion_compare(struct conversion *conversion, const struct profile_comparison *comparison);
int conversion_add(struct conversion *conversion, const struct profile_thread *thread);
/* Each does nothing if the format has no use for it. */
int conversion_add_counter(struct conversion *conversion, const struct profile_counter *counter);
int conversion_add_meta(struct conversion *conversion, const char *name, const char *json,
                        size_t length);
int conversion_add_process(struct conversion *conversion, bool is_root,
                           const struct process_log *log);
int conversion_finish(struct conversion *conversion, const struct profile_facts *facts);
void conversion_end(struct conversion *conversion);

/* Returns whether FORMAT takes THREAD if no threads are chosen. */
bool conversion_wants(const struct profile_format *format, const struct profile_thread *thread);

/* Returns those of ALL events of a walk that FORMAT has a use for. */
struct profile_walk_events conversion_events(const struct profile_format *format,
                                             struct profile_walk_events all);

#endif
