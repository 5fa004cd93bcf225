/* What a Gecko profile's "meta" tells, kept until a processed profile's can be written: the root's
 * may come before all threads or behind them.
 *
 * A zeroed struct knows nothing, but for processed_meta_init(). One thread. */
#ifndef PROFD_PROFCTL_PROCESSED_META_H
#define PROFD_PROFCTL_PROCESSED_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/json_writer.h"
#include "json/mapped_array.h"
#include "profctl/processed/busiest_threads.h"
#include "profctl/processed/processed_types.h"
#include "profctl/profile/profile_walk.h"

/* The newest version of the format that the viewer reads. */
enum { PROCESSED_VERSION = 75 };

struct processed_meta {
    struct processed_types types;
    struct json_writer members;     /* those that are the same in both formats */
    uint64_t kept;                  /* bits: which those are */
    struct mapped_array categories; /* char: the list, as it is written */
    bool is_symbolicated, is_debug_build;
};

void processed_meta_init(struct processed_meta *meta);
void processed_meta_free(struct processed_meta *meta);

/* A member of "meta", as profile_walk_events tells it. 0, -ENOMEM, or -EPROTO for one that is not
 * as it should be. */
int processed_meta_take(struct processed_meta *meta, const char *name, const char *json,
                        size_t length);

/* What only the whole profile tells. */
struct processed_summary {
    const struct profile_facts *facts;
    const struct busiest_threads *busiest;
    double interval_ns; /* of the first thread that tells one; 0: not known */
};

/* Writes the member "meta"; nothing may be taken afterwards. */
void processed_meta_write(struct processed_meta *meta, const struct processed_summary *summary,
                          struct json_writer *writer);

#endif
