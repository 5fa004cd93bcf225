/* The global memory controller: decides which chunk, of all living and ended processes, is dropped
 * next.
 *
 * The Firefox Profiler calls this ProfileBufferGlobalController. Its sources are living children,
 * whose chunk updates are folded in here, and exit profiles, whose chunks profd itself holds. While
 * the total is above the target, the released chunk that was done first is dropped. The limit
 * itself is enforced by the lease ledger, whatever happens here: the controller only makes room,
 * early enough that recording processes always find some.
 *
 *     a child's chunk:  known ──drop──▶ ordered ──update without it──▶ gone
 *                                          └──no such update in time──▶ the child is stalled
 *
 * A chunk that was ordered to be dropped counts as gone until it is known to be gone, or until its
 * child is stalled: then others make room in its place, and the child is told again when it is
 * heard from again. Updates may be lost, repeated or wrong: each has the whole state in numbers, so
 * the next one corrects this; what a source reports counts only up to its cap, and the ledger's own
 * count corrects the sum.
 *
 * Pure: plain values, no I/O, no clock. An update costs O(log n) for n sources. */
#ifndef PROFD_DAEMON_MEMORY_CONTROLLER_H
#define PROFD_DAEMON_MEMORY_CONTROLLER_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer/chunk_update.h"
#include "daemon/memory/age_heap.h"
#include "daemon/memory/memory_source.h"

struct memory_controller {
    uint64_t target_bytes;
    uint64_t patience_ns; /* how long a child may take to obey */
    uint32_t generation;  /* of the session; updates of other generations are ignored */
    uint64_t reported_bytes;
    int64_t correction_bytes;
    uint64_t going_bytes;
    size_t source_count, stalled_count;
    struct age_heap heap;               /* of the sources that have a chunk to drop */
    struct memory_source_list waiting;  /* for children to obey; earliest deadline first */
    struct memory_source_list reminded; /* stalled ones that were heard from, to be told again */
};

/* The target for a limit: what it leaves for recordings in steady state. The startup units stay
 * free, and enough of the growth units that a busy process finds one while orders are on their
 * way. */
uint64_t memory_controller_target(uint64_t limit_bytes);

void memory_controller_init(struct memory_controller *controller, uint64_t target_bytes,
                            uint64_t patience_ns);
/* All sources must have been removed. */
void memory_controller_fini(struct memory_controller *controller);

/* Adds SOURCE (zeroed), which counts for at most CAP_BYTES. Returns 0 or -ENOMEM. */
int memory_controller_add(struct memory_controller *controller, struct memory_source *source,
                          enum memory_source_kind kind, uint64_t cap_bytes, void *owner);
/* Removes SOURCE, which may be zeroed or already removed. */
void memory_controller_remove(struct memory_controller *controller, struct memory_source *source);

/* Applies a child's UPDATE of GENERATION. Returns 0; -ESTALE if it is of another session: then
 * nothing has changed; or -ENOMEM: then some chunks were not noted, and a later update will have
 * them. */
int memory_controller_update(struct memory_controller *controller, struct memory_source *source,
                             uint64_t generation, const struct chunk_update *update,
                             uint64_t now_ns);

/* Set the bytes that an exit profile counts for, and add one of its chunks. Adding returns 0 or
 * -ENOMEM. */
void memory_controller_set_bytes(struct memory_controller *controller, struct memory_source *source,
                                 uint64_t bytes);
int memory_controller_add_chunk(struct memory_controller *controller, struct memory_source *source,
                                struct chunk_age chunk);
/* Gives an exit profile, which has no chunks yet, CHUNKS, which are taken over and empty after
 * this. */
void memory_controller_set_chunks(struct memory_controller *controller,
                                  struct memory_source *source, struct chunk_ages *chunks);

/* Sets whether SOURCE is held: while it is, none of its chunks is chosen. */
void memory_controller_hold(struct memory_controller *controller, struct memory_source *source,
                            bool is_held);

/* The ledger's count of what is taken now. Corrects the sum of what the sources reported. */
void memory_controller_note_taken(struct memory_controller *controller, uint64_t taken_bytes);

/* What counts as used now, without what is about to go. */
uint64_t memory_controller_total(const struct memory_controller *controller);

struct chunk_drop {
    struct memory_source *source;
    uint64_t done_ns; /* of a child: drop all released chunks done at or before this */
    uint32_t slot;    /* of an exit profile: the chunk, which already counts as gone */
};

/* Chooses what to drop next. Returns false if nothing needs to be, or nothing can be, dropped. */
bool memory_controller_next_drop(struct memory_controller *controller, uint64_t now_ns,
                                 struct chunk_drop *out);

#endif
