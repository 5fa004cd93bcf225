/* Taking page faults before recording threads would. */
#include <errno.h>
#include <sys/mman.h>

#include "buffer/chunk_manager_state.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

enum { PAGE_BYTES = 4096 };

/* Makes the kernel give memory to a slot that nobody else knows of. False when it has none. */
static bool populate_slot(uint8_t *slot)
{
    if (madvise(slot, CHUNK_BYTES, MADV_POPULATE_WRITE) == 0)
        return true;
    if (errno != EINVAL)
        return false;
    for (size_t offset = 0; offset < CHUNK_BYTES; offset += PAGE_BYTES)
        *(volatile uint8_t *)(slot + offset) = 0;
    return true;
}

/* One more prepared chunk; the lock is held before and after, not while populating. */
static bool prepare_one(struct chunk_manager *manager)
{
    uint32_t slot = chunk_manager_take_slot(manager);
    if (slot == SLOT_NONE)
        return false;
    pthread_mutex_unlock(&manager->lock);
    bool is_populated = populate_slot((uint8_t *)arena_chunk(manager->arena, slot));
    pthread_mutex_lock(&manager->lock);
    if (!is_populated || manager->live_chunks > manager->limit_chunks) {
        chunk_manager_discard_slot(manager, slot);
        return false;
    }
    slot_list_push_back(&manager->prepared, manager->links, slot);
    return true;
}

void chunk_manager_unprepare(struct chunk_manager *manager, unsigned kept)
{
    pthread_mutex_lock(&manager->lock);
    bool has_changed = false;
    while (manager->prepared.count > kept) {
        uint32_t slot = slot_list_pop_front(&manager->prepared, manager->links);
        if (!chunk_manager_discard_slot(manager, slot))
            break;
        has_changed = true;
    }
    chunk_manager_notify_if(manager, has_changed);
    pthread_mutex_unlock(&manager->lock);
}

bool chunk_manager_prepare(struct chunk_manager *manager, unsigned count)
{
    pthread_mutex_lock(&manager->lock);
    bool was_below = manager->prepared.count < count;
    bool has_changed = false;
    while (manager->prepared.count < count && prepare_one(manager))
        has_changed = true;
    chunk_manager_notify_if(manager, has_changed);
    pthread_mutex_unlock(&manager->lock);
    return was_below;
}
