/* An update: what has changed in a chunk manager since the previous update.
 *
 * Updates are plain values that can be folded: update A followed by B equals one update. Modelled
 * on ProfileBufferControlledChunkManager::Update. An update is empty, ordinary, or final (no more
 * will follow). */
#ifndef PROFD_BUFFER_CHUNK_UPDATE_H
#define PROFD_BUFFER_CHUNK_UPDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHUNK_UPDATE_MAX_RELEASED = 256 };

enum chunk_update_kind { CHUNK_UPDATE_NONE = 0, CHUNK_UPDATE_ORDINARY = 1, CHUNK_UPDATE_FINAL = 2 };

/* A chunk released since the previous update. */
struct released_chunk {
    uint64_t done_ns; /* CLOCK_MONOTONIC */
    uint64_t bytes;
    uint64_t sequence; /* of the chunk; unique in its arena and growing */
};

struct chunk_update {
    enum chunk_update_kind kind;
    uint64_t unreleased_bytes; /* chunks in use and prepared for use */
    uint64_t released_bytes;
    uint64_t dictionary_bytes;
    uint64_t oldest_done_ns; /* of the released chunks that still exist; 0 if there are none */
    uint32_t newly_released_count;
    uint32_t newly_released_lost; /* number of released chunks that did not fit into the list; the
                                   * byte counts include them */
    struct released_chunk newly_released[CHUNK_UPDATE_MAX_RELEASED]; /* oldest first */
};

/* Folds NEXT into *PENDING. The kind and the totals become those of NEXT. The lists of released
 * chunks are joined, without the chunks that NEXT says are gone (those done before its oldest one).
 * If the joined list does not fit, the newest chunks are left out, since the oldest ones are
 * destroyed first. A NEXT of kind NONE changes nothing. Returns 0, or -EINVAL, with nothing
 * changed, if *PENDING is already final or a list is longer than its room. */
int chunk_update_fold(struct chunk_update *pending, const struct chunk_update *next);

#endif
