/* What one session recorded goes over to another. */
#include <errno.h>

#include "buffer/chunk_manager_state.h"

/* A slot without memory has no unit, and is not looked at: that would give it a page. */
void chunk_manager_close_all(struct chunk_manager *manager)
{
    pthread_mutex_lock(&manager->lock);
    for (uint32_t slot = 0; slot < manager->first_unused; slot++) {
        struct chunk *chunk = arena_chunk(manager->arena, slot);
        if (manager->units[slot] != 0 && atomic_load(&chunk->state) == CHUNK_IN_USE)
            chunk_manager_release_locked(manager, chunk);
    }
    pthread_mutex_unlock(&manager->lock);
    chunk_manager_unprepare(manager, 0);
}

/* Takes a unit for released SLOT, if need be in place of the oldest ones. */
static void assign_unit(struct chunk_manager *manager, uint32_t slot)
{
    uint32_t unit;
    while (arena_take_unit(manager->arena, &unit) < 0) {
        bool is_oldest = manager->released.first == slot;
        if (!chunk_manager_destroy_oldest(manager) || is_oldest)
            return;
    }
    manager->units[slot] = unit + 1;
    atomic_store_explicit(&arena_chunk(manager->arena, slot)->held_unit, unit + 1,
                          memory_order_relaxed);
}

void chunk_manager_pay_anew(struct chunk_manager *manager)
{
    pthread_mutex_lock(&manager->lock);
    for (uint32_t slot = 0; slot < manager->first_unused; slot++)
        manager->units[slot] = 0; /* of a ledger that was, or none */
    uint32_t slot = manager->released.first;
    for (uint32_t left = manager->released.count; left > 0; left--) {
        uint32_t next = manager->links[slot]; /* before the slot may be in another list */
        assign_unit(manager, slot);
        slot = next;
    }
    pthread_mutex_unlock(&manager->lock);
}

int chunk_manager_continue(struct chunk_manager *manager, uint32_t generation, uint64_t limit_bytes)
{
    if (limit_bytes < CHUNK_BYTES)
        return -EINVAL;
    pthread_mutex_lock(&manager->lock);
    uint32_t slot = manager->released.first;
    for (uint32_t left = manager->released.count; left > 0; left--) {
        __atomic_store_n(&arena_chunk(manager->arena, slot)->generation, generation,
                         __ATOMIC_RELEASE);
        slot = manager->links[slot];
    }
    manager->generation = generation;
    atomic_store_explicit(&manager->arena->header->generation, generation, memory_order_release);
    pthread_mutex_unlock(&manager->lock);
    chunk_manager_set_limit(manager, limit_bytes);
    return 0;
}
