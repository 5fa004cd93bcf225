/* Chunk managers: who creates, takes back, recycles and destroys chunks.
 *
 * Three, as in the Firefox Profiler: `single` (one chunk, ever), `local limit` (the session's), and
 * the `controlled` interface that the latter offers: updates and destruction on command. */
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
/* The chunk, or NULL while it is given or after it was released without a reset. */
struct chunk *chunk_manager_single_get(struct chunk_manager_single *manager);
/* Takes the chunk back; its blocks stay readable. -EINVAL when it is not given. */
int chunk_manager_single_release(struct chunk_manager_single *manager);
/* Makes a released chunk available again; what it holds is lost at the next get. */
void chunk_manager_single_reset(struct chunk_manager_single *manager);

/* --- with local limit: the chunks of an arena in one session; thread-safe. --- */

struct chunk_manager; /* opaque */

/* Called with the manager's lock held after chunks moved; UPDATE is the callee's to read only. Must
 * not call back into the manager. */
typedef void chunk_update_callback(const struct chunk_update *update, void *context);

/* Manages the chunks of ARENA (borrowed, outlives it) for session GENERATION, within LIMIT_BYTES of
 * chunks. The arena's generation becomes GENERATION, and what earlier sessions left goes back to
 * the kernel; no writer of theirs may be at work. -ENOMEM, or -EINVAL for a limit under one chunk.
 * Memory comes from mmap, not malloc. */
int chunk_manager_create(struct arena *arena, uint32_t generation, uint64_t limit_bytes,
                         struct chunk_manager **out);
/* Sends the final update when somebody listens. Chunks stay as they are in the arena. No other call
 * may be under way. Safe on NULL. */
void chunk_manager_destroy(struct chunk_manager *manager);

/* To be called before chunk_manager_destroy() if nobody will read the chunks: gives all of them
 * back to the kernel, and their units to the lease. Nobody may write. */
void chunk_manager_discard_all(struct chunk_manager *manager);

/* The arena that MANAGER was created with. */
struct arena *chunk_manager_arena(const struct chunk_manager *manager);

/* A chunk in state in-use for WRITER_INDEX, started now, or NULL at the limit with nothing to
 * recycle. Order of preference: a prepared chunk, a free slot while below the limit, else the
 * oldest released chunk, recycled: its blocks count as dropped (DROP_RECYCLED). */
struct chunk *chunk_manager_get(struct chunk_manager *manager, uint32_t writer_index);

/* Takes back a full or abandoned chunk: done, then released. A chunk that is not in use, or not of
 * this arena, is left alone. */
void chunk_manager_release(struct chunk_manager *manager, struct chunk *chunk);

/* Takes back FULL (or nothing, when NULL) and hands out a new one under one lock; NULL as
 * chunk_manager_get. */
struct chunk *chunk_manager_exchange(struct chunk_manager *manager, struct chunk *full,
                                     uint32_t writer_index);

/* The same in a signal handler, which may have interrupted any of these functions: false, and
 * nothing done, when somebody else is at it. Listeners are told by the next other call, or by
 * chunk_manager_report(). */
bool chunk_manager_try_exchange(struct chunk_manager *manager, struct chunk *full,
                                uint32_t writer_index, struct chunk **out);

/* Tells the listener what signal handlers changed, if they did. */
void chunk_manager_report(struct chunk_manager *manager);

/* Makes up to COUNT chunks ready within the limit (page faults taken here, not in recording
 * threads, and not under the lock). Called by the sampler or agent thread at its leisure. Returns
 * whether the stock was below COUNT. */
bool chunk_manager_prepare(struct chunk_manager *manager, unsigned count);

/* Gives prepared chunks beyond KEPT back: the process has become quiet. */
void chunk_manager_unprepare(struct chunk_manager *manager, unsigned kept);

/* Changes the local limit; what is in excess goes: prepared chunks, then released ones, oldest
 * first. Chunks in use stay until they are released. A limit under one chunk leaves nothing to hand
 * out. */
void chunk_manager_set_limit(struct chunk_manager *manager, uint64_t limit_bytes);

/* --- controlled --- */

/* CALLBACK hears of the state as it is (all released chunks are new to it), then of every change;
 * NULL stops that after a final update. */
void chunk_manager_set_update_callback(struct chunk_manager *manager,
                                       chunk_update_callback *callback, void *context);

/* Destroys every released chunk that was done at or before DONE_NS: its memory goes back to the
 * kernel, its blocks count as dropped (DROP_RECYCLED). Returns the bytes destroyed. */
uint64_t chunk_manager_destroy_released_at_or_before(struct chunk_manager *manager,
                                                     uint64_t done_ns);

/* --- handed over: a session has ended, and another one continues with its chunks. Nobody writes.
 * --- */

/* Takes back all chunks that are in use, since their writers have stopped for good, and gives what
 * is prepared back to the kernel. */
void chunk_manager_close_all(struct chunk_manager *manager);

/* After chunk_manager_close_all(), when the arena has been moved to another ledger: takes its units
 * for the chunks. Where they do not suffice, the oldest chunks go (DROP_RECYCLED). */
void chunk_manager_pay_anew(struct chunk_manager *manager);

/* From now on the chunks and the arena belong to session GENERATION, within LIMIT_BYTES. -EINVAL
 * for a limit under one chunk. */
int chunk_manager_continue(struct chunk_manager *manager, uint32_t generation,
                           uint64_t limit_bytes);

#endif
