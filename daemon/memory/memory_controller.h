/* The global memory controller: which chunk, of all processes living and dead, goes next.
 *
 * What the Firefox Profiler calls ProfileBufferGlobalController. Sources are children that live,
 * whose chunk updates are folded in here, and exit profiles, whose chunks profd has in its own
 * hands. While the total is above the target, the released chunk that was done first goes. The
 * limit itself is kept by the lease ledger, whatever happens here: this only decides what makes
 * room, early enough that those who record always find some.
 *
 *     a child's chunk:  known ──drop──▶ ordered ──update without it──▶ gone
 *                                          └──no such update in time──▶ the child is stalled
 *
 * A chunk that was ordered counts as gone until it is known to be or its child is stalled: others
 * then make room in its place, and the child is reminded when it speaks again. Updates may be lost,
 * repeated or wrong: each tells the whole state in numbers, so the next one puts things right; what
 * a source says counts up to its cap, and the ledger's own count of what is taken corrects the sum.
 *
 * Pure: plain values, no I/O, no clock. An update costs O(log n) with n sources. */
#ifndef PROFD_DAEMON_MEMORY_CONTROLLER_H
#define PROFD_DAEMON_MEMORY_CONTROLLER_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer/chunk_update.h"
#include "daemon/memory/age_heap.h"
#include "daemon/memory/memory_source.h"

struct memory_controller {
    uint64_t target_bytes;
    uint64_t patience_ns; /* for a child to do what it was told */
    uint32_t generation;  /* of the session; updates of others don't count */
    uint64_t reported_bytes;
    int64_t correction_bytes;
    uint64_t going_bytes;
    size_t source_count, stalled_count;
    struct age_heap heap;               /* of those that have a chunk to give */
    struct memory_source_list waiting;  /* for children to do what they were told; soonest first */
    struct memory_source_list reminded; /* stalled ones that spoke again, to be told again */
};

/* What a limit leaves for recording in steady state: the startup units stay free, and of the growth
 * units enough that a busy process finds one while orders are on their way. */
uint64_t memory_controller_target(uint64_t limit_bytes);

void memory_controller_init(struct memory_controller *controller, uint64_t target_bytes,
                            uint64_t patience_ns);
/* All sources were removed. */
void memory_controller_fini(struct memory_controller *controller);

/* Begins with SOURCE (zeroed), which counts for at most CAP_BYTES. 0 or -ENOMEM. */
int memory_controller_add(struct memory_controller *controller, struct memory_source *source,
                          enum memory_source_kind kind, uint64_t cap_bytes, void *owner);
/* Ends with SOURCE, which may be zeroed or removed already. */
void memory_controller_remove(struct memory_controller *controller, struct memory_source *source);

/* A child's UPDATE of GENERATION. 0; -ESTALE when it is of another session, which changes nothing;
 * -ENOMEM: chunks were not noted, a later update tells of them. */
int memory_controller_update(struct memory_controller *controller, struct memory_source *source,
                             uint64_t generation, const struct chunk_update *update,
                             uint64_t now_ns);

/* An exit profile counts for BYTES, and one of its chunks is CHUNK. 0 or -ENOMEM. */
void memory_controller_set_bytes(struct memory_controller *controller, struct memory_source *source,
                                 uint64_t bytes);
int memory_controller_add_chunk(struct memory_controller *controller, struct memory_source *source,
                                struct chunk_age chunk);
/* Its chunks are CHUNKS, which are taken over: empty after this. It has none yet. */
void memory_controller_set_chunks(struct memory_controller *controller,
                                  struct memory_source *source, struct chunk_ages *chunks);

/* While SOURCE is held, nothing of it is chosen. */
void memory_controller_hold(struct memory_controller *controller, struct memory_source *source,
                            bool is_held);

/* The ledger says that so much is taken at this moment: the sum of what the sources said follows.
 */
void memory_controller_note_taken(struct memory_controller *controller, uint64_t taken_bytes);

/* What counts as used now, without what is going. */
uint64_t memory_controller_total(const struct memory_controller *controller);

struct chunk_drop {
    struct memory_source *source;
    uint64_t done_ns; /* a child: everything released that was done at or before this */
    uint32_t slot;    /* an exit profile: the chunk, which counts as gone already */
};

/* The next thing to destroy; false when there is nothing to do, or nothing that could be done. */
bool memory_controller_next_drop(struct memory_controller *controller, uint64_t now_ns,
                                 struct chunk_drop *out);

#endif
