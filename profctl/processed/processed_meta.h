/* The "meta" of a Gecko profile, kept until that of the processed profile can be written. The
 * root's may come before or after all threads.
 *
 * Initialised by processed_meta_init(). One thread. */
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
    struct json_writer members;     /* members that are the same in both formats */
    uint64_t kept;                  /* bit mask of these */
    struct mapped_array categories; /* char: the JSON of the list */
    bool is_symbolicated, is_debug_build;
};

void processed_meta_init(struct processed_meta *meta);
void processed_meta_free(struct processed_meta *meta);

/* Takes a member of "meta", as passed by profile_walk_events. Returns 0, -ENOMEM, or -EPROTO if it
 * is invalid. */
int processed_meta_take(struct processed_meta *meta, const char *name, const char *json,
                        size_t length);

/* What is known only from the whole profile. */
struct processed_summary {
    const struct profile_facts *facts;
    const struct busiest_threads *busiest;
    double interval_ns; /* of the first thread that has one; 0: not known */
};

/* Writes the member "meta"; nothing may be taken afterwards. */
void processed_meta_write(struct processed_meta *meta, const struct processed_summary *summary,
                          struct json_writer *writer);

#endif
