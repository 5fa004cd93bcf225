/* What a controller sees and may order: updates, and destruction by age. */
#include "buffer/chunk_manager_state.h"

static void append_released(struct chunk_manager *manager, uint32_t slot)
{
    struct chunk_update *update = &manager->update;
    if (update->newly_released_count == CHUNK_UPDATE_MAX_RELEASED) {
        update->newly_released_lost++;
        return;
    }
    const struct chunk *chunk = arena_chunk(manager->arena, slot);
    update->newly_released[update->newly_released_count++] = (struct released_chunk){
        .done_ns = manager->done_ns[slot],
        .bytes = CHUNK_BYTES,
        .sequence = chunk->range_start / CHUNK_BUFFER_BYTES,
    };
}

static void fill_update(struct chunk_manager *manager, enum chunk_update_kind kind)
{
    const struct slot_list *released = &manager->released;
    struct chunk_update *update = &manager->update;
    update->kind = kind;
    update->released_bytes = (uint64_t)released->count * CHUNK_BYTES;
    update->unreleased_bytes =
        (uint64_t)manager->live_chunks * CHUNK_BYTES - update->released_bytes;
    update->dictionary_bytes =
        atomic_load_explicit(&manager->arena->header->dictionary_used_bytes, memory_order_relaxed);
    update->oldest_done_ns = released->count != 0 ? manager->done_ns[released->first] : 0;
    update->newly_released_count = 0;
    update->newly_released_lost = 0;
}

/* The latest of the released slots, as many as are untold. */
static void append_untold(struct chunk_manager *manager)
{
    const struct slot_list *released = &manager->released;
    uint32_t told = released->count - manager->untold;
    uint32_t slot = manager->untold == 1 ? released->last : released->first;
    for (uint32_t i = 0; manager->untold > 1 && i < told; i++)
        slot = manager->links[slot];
    for (uint32_t i = 0; i < manager->untold; i++, slot = manager->links[slot])
        append_released(manager, slot);
}

void chunk_manager_notify(struct chunk_manager *manager)
{
    manager->owes_update = false;
    if (manager->callback == NULL)
        return;
    fill_update(manager, CHUNK_UPDATE_ORDINARY);
    append_untold(manager);
    manager->untold = 0;
    manager->callback(&manager->update, manager->callback_context);
}

void chunk_manager_notify_if(struct chunk_manager *manager, bool has_changed)
{
    if (has_changed || manager->owes_update)
        chunk_manager_notify(manager);
}

void chunk_manager_report(struct chunk_manager *manager)
{
    pthread_mutex_lock(&manager->lock);
    chunk_manager_notify_if(manager, false);
    pthread_mutex_unlock(&manager->lock);
}

void chunk_manager_set_update_callback(struct chunk_manager *manager,
                                       chunk_update_callback *callback, void *context)
{
    pthread_mutex_lock(&manager->lock);
    if (callback == NULL && manager->callback != NULL) {
        fill_update(manager, CHUNK_UPDATE_FINAL);
        manager->callback(&manager->update, manager->callback_context);
    }
    manager->callback = callback;
    manager->callback_context = context;
    manager->untold = manager->released.count;
    if (callback != NULL)
        chunk_manager_notify(manager);
    pthread_mutex_unlock(&manager->lock);
}

uint64_t chunk_manager_destroy_released_at_or_before(struct chunk_manager *manager,
                                                     uint64_t done_ns)
{
    uint64_t destroyed_bytes = 0;
    pthread_mutex_lock(&manager->lock);
    while (manager->released.count != 0 && manager->done_ns[manager->released.first] <= done_ns) {
        if (!chunk_manager_destroy_oldest(manager))
            break;
        destroyed_bytes += CHUNK_BYTES;
    }
    chunk_manager_notify_if(manager, destroyed_bytes != 0);
    pthread_mutex_unlock(&manager->lock);
    return destroyed_bytes;
}
