/* An update: what changed in a chunk manager since the previous update.
 *
 * A plain value that folds: updates A then B equal one update. Follows
 * ProfileBufferControlledChunkManager::Update: nothing yet, ordinary, or final (no more will come).
 */
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
    uint64_t sequence; /* of the chunk, unique in its arena and growing */
};

struct chunk_update {
    enum chunk_update_kind kind;
    uint64_t unreleased_bytes; /* chunks in use and prepared for use */
    uint64_t released_bytes;
    uint64_t dictionary_bytes;
    uint64_t oldest_done_ns; /* of the released chunks that still exist; 0 when there is none */
    uint32_t newly_released_count;
    uint32_t newly_released_lost; /* more were released than fit here; bytes still tell all */
    struct released_chunk newly_released[CHUNK_UPDATE_MAX_RELEASED]; /* oldest first */
};

/* Folds NEXT into *PENDING: kind and totals are NEXT's, the released lists are joined without those
 * that NEXT says are gone (done before its oldest); when they don't fit, the newest are lost, as
 * the oldest are the ones to destroy. NEXT none changes nothing. -EINVAL, with nothing changed,
 * when *PENDING is final already (it absorbs nothing more) or a list is longer than there is room.
 */
int chunk_update_fold(struct chunk_update *pending, const struct chunk_update *next);

#endif
