/* Chunk managers create, take back, recycle and destroy chunks.
 *
 * There are three, as in the Firefox Profiler: `single` (one chunk only), `local limit` (that of
 * the session), and the `controlled` interface that the latter offers: updates, and destruction on
 * command. */
#ifndef PROFD_BUFFER_CHUNK_MANAGER_H
#define PROFD_BUFFER_CHUNK_MANAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer/arena.h"
#include "buffer/chunk.h"
#include "buffer/chunk_update.h"

/* --- single: one caller-owned block of memory as a chunk; not thread-safe. --- */

struct chunk_manager_single {
    struct chunk *chunk; /* caller's memory of CHUNK_BYTES, 64-aligned */
};

void chunk_manager_single_init(struct chunk_manager_single *manager, void *memory);
/* Returns the chunk, or NULL if it is handed out, or was released and not reset. */
struct chunk *chunk_manager_single_get(struct chunk_manager_single *manager);
/* Takes the chunk back. Its blocks stay readable. Returns 0, or -EINVAL if the chunk is not handed
 * out. */
int chunk_manager_single_release(struct chunk_manager_single *manager);
/* Makes a released chunk available again. Its contents are lost at the next get. */
void chunk_manager_single_reset(struct chunk_manager_single *manager);

/* --- with local limit: the chunks of an arena in one session; thread-safe. --- */

struct chunk_manager; /* opaque */

/* Called with the manager's lock held, after chunks have moved. The callback may only read UPDATE
 * and must not call back into the manager. */
typedef void chunk_update_callback(const struct chunk_update *update, void *context);

/* Creates a manager for the chunks of ARENA (borrowed; must outlive the manager) in session
 * GENERATION, within LIMIT_BYTES of chunks. The arena's generation becomes GENERATION, and the
 * chunks of earlier sessions are given back to the kernel; none of their writers may be active.
 * Returns 0, -ENOMEM, or -EINVAL if the limit is less than one chunk. Memory comes from mmap, not
 * malloc. */
int chunk_manager_create(struct arena *arena, uint32_t generation, uint64_t limit_bytes,
                         struct chunk_manager **out);
/* Destroys MANAGER after sending the final update to its listener, if there is one. Chunks stay as
 * they are in the arena. No other call may be in progress. Safe on NULL. */
void chunk_manager_destroy(struct chunk_manager *manager);

/* Gives all chunks back to the kernel and their units to the lease. Called before
 * chunk_manager_destroy() if nobody will read the chunks. Nobody may be writing. */
void chunk_manager_discard_all(struct chunk_manager *manager);

/* Returns the arena that MANAGER was created with. */
struct arena *chunk_manager_arena(const struct chunk_manager *manager);

/* Returns a chunk in state in-use for WRITER_INDEX, started now, or NULL at the limit if there
 * is nothing to recycle. The manager prefers a prepared chunk, then, below the limit, a free
 * slot, and last the oldest released chunk, which it recycles: its blocks count as dropped
 * (DROP_RECYCLED). */
struct chunk *chunk_manager_get(struct chunk_manager *manager, uint32_t writer_index);

/* Takes back a full or abandoned chunk, which becomes done and then released. A chunk that is not
 * in use or not of this arena is left alone. */
void chunk_manager_release(struct chunk_manager *manager, struct chunk *chunk);

/* Takes back FULL (unless it is NULL) and returns a new chunk, both under one lock. Returns NULL as
 * chunk_manager_get() does. */
struct chunk *chunk_manager_exchange(struct chunk_manager *manager, struct chunk *full,
                                     uint32_t writer_index);

/* Like chunk_manager_exchange(), for a signal handler, which may have interrupted any of these
 * functions. Returns false, with nothing done, if the manager is busy. The listener is told by the
 * next other call, or by chunk_manager_report(). */
bool chunk_manager_try_exchange(struct chunk_manager *manager, struct chunk *full,
                                uint32_t writer_index, struct chunk **out);

/* Tells the listener what signal handlers have changed, if they have. */
void chunk_manager_report(struct chunk_manager *manager);

/* Prepares chunks, within the limit, until up to COUNT are ready. The page faults are taken here
 * instead of in recording threads, and not under the lock. Called by the sampler or agent thread
 * when it has time. Returns whether fewer than COUNT chunks were ready before. */
bool chunk_manager_prepare(struct chunk_manager *manager, unsigned count);

/* Gives all but KEPT prepared chunks back to the kernel, because the process has become quiet. */
void chunk_manager_unprepare(struct chunk_manager *manager, unsigned kept);

/* Changes the local limit. Chunks in excess are destroyed: first prepared ones, then released ones,
 * oldest first. Chunks in use stay until they are released. With a limit of less than one chunk, no
 * chunk is handed out. */
void chunk_manager_set_limit(struct chunk_manager *manager, uint64_t limit_bytes);

/* --- controlled --- */

/* Makes CALLBACK the listener. It is told the current state first (all released chunks are new to
 * it), then every change. NULL removes the listener, after a final update. */
void chunk_manager_set_update_callback(struct chunk_manager *manager,
                                       chunk_update_callback *callback, void *context);

/* Destroys every released chunk that was done at or before DONE_NS: its memory goes back to the
 * kernel, and its blocks count as dropped (DROP_RECYCLED). Returns the number of bytes
 * destroyed. */
uint64_t chunk_manager_destroy_released_at_or_before(struct chunk_manager *manager,
                                                     uint64_t done_ns);

/* --- handover: a session has ended, and another one continues with its chunks; nobody may be
 * writing. --- */

/* Takes back all chunks that are in use, whose writers have stopped for good, and gives prepared
 * chunks back to the kernel. */
void chunk_manager_close_all(struct chunk_manager *manager);

/* Takes units for the chunks from the ledger that the arena has been moved to. Called after
 * chunk_manager_close_all(). If there are too few units, the oldest chunks are destroyed
 * (DROP_RECYCLED). */
void chunk_manager_pay_anew(struct chunk_manager *manager);

/* Makes the chunks and the arena belong to session GENERATION, within LIMIT_BYTES. Returns 0, or
 * -EINVAL if the limit is less than one chunk. */
int chunk_manager_continue(struct chunk_manager *manager, uint32_t generation,
                           uint64_t limit_bytes);

#endif
