/* The inside of the chunk manager with local limit. Included by chunk_manager_*.c only.
 *
 * What it must know about slots is kept here, in the process's private memory, not read back from
 * the chunks: asking a free chunk for its state would make the kernel give it a page again. */
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
    struct slot_list free;     /* used before, destroyed since */
    struct slot_list prepared; /* memory is there, nothing in it */
    struct slot_list released; /* oldest done first */
    uint32_t untold;           /* of them, the latest: the listener has not heard of them */
    bool owes_update;          /* handlers changed something */
    chunk_update_callback *callback;
    void *callback_context;
    struct chunk_update update; /* the one being told; only here to be off the stack */
    size_t mapped_bytes;
    uint64_t *done_ns; /* by slot, of the released ones */
    uint32_t *units;   /* by slot: 1 + the unit of the lease that it takes; 0 without memory */
    uint32_t links[];  /* by slot, of the lists */
};

/* Takes a slot without memory, within the limit and the lease; SLOT_NONE when there is none. Under
 * the lock. */
uint32_t chunk_manager_take_slot(struct chunk_manager *manager);

/* Gives the memory of a slot that is in no list back to the kernel. False when the kernel refuses:
 * the slot is then among the prepared ones. Under the lock. */
bool chunk_manager_discard_slot(struct chunk_manager *manager, uint32_t slot);

/* Destroys the oldest released chunk. False when there is none or its memory could not be freed.
 * Under the lock. */
bool chunk_manager_destroy_oldest(struct chunk_manager *manager);

/* Takes the oldest released slot, or SLOT_NONE. Under the lock. */
uint32_t chunk_manager_take_released(struct chunk_manager *manager);

/* Takes back CHUNK; nothing when it is not in use. Under the lock. */
void chunk_manager_release_locked(struct chunk_manager *manager, struct chunk *chunk);

/* Tells the listener, if any, what changed. Under the lock. */
void chunk_manager_notify(struct chunk_manager *manager);

/* The same if something has changed, also by handlers. Under the lock. */
void chunk_manager_notify_if(struct chunk_manager *manager, bool has_changed);

#endif
