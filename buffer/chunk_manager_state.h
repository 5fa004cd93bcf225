/* The state of the chunk manager with local limit. Included by chunk_manager_*.c only.
 *
 * What the manager must know about slots is kept here, in the process's private memory, instead of
 * being read back from the chunks: reading the state of a free chunk would make the kernel give it
 * a page again. */
#ifndef PROFD_BUFFER_CHUNK_MANAGER_STATE_H
#define PROFD_BUFFER_CHUNK_MANAGER_STATE_H

#include <pthread.h>

#include "buffer/chunk_manager.h"
#include "buffer/slot_list.h"

struct chunk_manager {
    struct arena *arena;
    pthread_mutex_t lock; /* guards all that follows */
    uint32_t generation;
    uint32_t slot_count;
    uint32_t limit_chunks;
    /* Chunks that hold memory: prepared, being prepared, in use, released. */
    uint32_t live_chunks;
    uint32_t first_unused;     /* slots from here on were never used */
    struct slot_list free;     /* used earlier, destroyed since */
    struct slot_list prepared; /* have memory, but no contents */
    struct slot_list released; /* oldest done first */
    uint32_t untold;           /* the latest of these, of which the listener has not been told */
    bool owes_update;          /* a signal handler changed something */
    chunk_update_callback *callback;
    void *callback_context;
    struct chunk_update update; /* the update being reported; kept here only to save stack space */
    size_t mapped_bytes;
    uint64_t *done_ns; /* by slot, for released slots */
    uint32_t *units;   /* by slot: 1 + the number of its lease unit; 0 without memory */
    uint32_t links[];  /* by slot: the links of the lists */
};

/* Takes a slot that has no memory yet, within the limit and the lease. Returns SLOT_NONE if there
 * is none. Called under the lock. */
uint32_t chunk_manager_take_slot(struct chunk_manager *manager);

/* Gives the memory of a slot that is in no list back to the kernel. Returns false if the kernel
 * refuses; the slot is then put into the prepared list. Called under the lock. */
bool chunk_manager_discard_slot(struct chunk_manager *manager, uint32_t slot);

/* Destroys the oldest released chunk. Returns false if there is none or its memory could not be
 * freed. Called under the lock. */
bool chunk_manager_destroy_oldest(struct chunk_manager *manager);

/* Takes the oldest released slot. Returns SLOT_NONE if there is none. Called under the lock. */
uint32_t chunk_manager_take_released(struct chunk_manager *manager);

/* Takes back CHUNK. Does nothing if CHUNK is not in use. Called under the lock. */
void chunk_manager_release_locked(struct chunk_manager *manager, struct chunk *chunk);

/* Tells the listener, if there is one, what has changed. Called under the lock. */
void chunk_manager_notify(struct chunk_manager *manager);

/* Tells the listener if HAS_CHANGED or if a signal handler changed something. Called under the
 * lock. */
void chunk_manager_notify_if(struct chunk_manager *manager, bool has_changed);

#endif
