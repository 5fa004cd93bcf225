/* Handing out, taking back and recycling. */
#include <errno.h>

#include "buffer/chunk_manager_state.h"
#include "buffer/unforked_pages.h"

static uint32_t limit_in_chunks(const struct chunk_manager *manager, uint64_t limit_bytes)
{
    uint64_t chunks = limit_bytes / CHUNK_BYTES;
    return chunks < manager->slot_count ? (uint32_t)chunks : manager->slot_count;
}

/* Gives memory of the arena back to the kernel, which refuses for locked memory: a program may have
 * asked for that with mlockall(). */
static bool free_memory(void *start, size_t bytes)
{
    if (madvise(start, bytes, MADV_REMOVE) == 0)
        return true;
    return munlock(start, bytes) == 0 && madvise(start, bytes, MADV_REMOVE) == 0;
}

/* Frees what earlier sessions left in the arena. When the kernel refuses, the slots keep their
 * memory and are handed out with it. */
static void discard_earlier_sessions(struct arena *arena)
{
    struct arena_header *header = arena->header;
    uint64_t used = atomic_load_explicit(&header->chunk_high_water, memory_order_relaxed);
    if (used > header->chunk_count)
        used = header->chunk_count;
    for (uint32_t slot = 0; slot < used; slot++)
        atomic_store_explicit(&arena_chunk(arena, slot)->state, CHUNK_FREE, memory_order_release);
    if (used != 0 && free_memory(arena->chunks, used * CHUNK_BYTES))
        atomic_store_explicit(&header->chunk_high_water, 0, memory_order_relaxed);
}

int chunk_manager_create(struct arena *arena, uint32_t generation, uint64_t limit_bytes,
                         struct chunk_manager **out)
{
    uint32_t slot_count = arena->header->chunk_count;
    if (limit_bytes < CHUNK_BYTES)
        return -EINVAL;
    size_t links_end = sizeof(struct chunk_manager) + (size_t)slot_count * sizeof(uint32_t);
    size_t done_offset = (links_end + 7) & ~(size_t)7;
    size_t units_offset = done_offset + (size_t)slot_count * sizeof(uint64_t);
    size_t mapped_bytes = units_offset + (size_t)slot_count * sizeof(uint32_t);
    struct chunk_manager *manager = unforked_pages_allocate(mapped_bytes);
    if (manager == NULL)
        return -ENOMEM;

    manager->arena = arena;
    pthread_mutex_init(&manager->lock, NULL);
    manager->generation = generation;
    manager->slot_count = slot_count;
    manager->limit_chunks = limit_in_chunks(manager, limit_bytes);
    manager->mapped_bytes = mapped_bytes;
    manager->done_ns = (uint64_t *)(void *)((uint8_t *)manager + done_offset);
    manager->units = (uint32_t *)(void *)((uint8_t *)manager + units_offset);
    discard_earlier_sessions(arena);
    arena_begin_account(arena);
    atomic_store_explicit(&arena->header->generation, generation, memory_order_release);
    *out = manager;
    return 0;
}

void chunk_manager_destroy(struct chunk_manager *manager)
{
    if (manager == NULL)
        return;
    chunk_manager_set_update_callback(manager, NULL, NULL);
    pthread_mutex_destroy(&manager->lock);
    unforked_pages_free(manager, manager->mapped_bytes);
}

static void give_back_unit(struct chunk_manager *manager, uint32_t slot)
{
    if (manager->units[slot] != 0)
        arena_give_back_unit(manager->arena, manager->units[slot] - 1);
    manager->units[slot] = 0;
}

/* When the kernel refuses, the memory stays, and so does what pays for it. */
void chunk_manager_discard_all(struct chunk_manager *manager)
{
    struct arena *arena = manager->arena;

    pthread_mutex_lock(&manager->lock);
    atomic_store_explicit(&arena->header->generation, 0, memory_order_release);
    if (manager->first_unused != 0 &&
        free_memory(arena->chunks, (size_t)manager->first_unused * CHUNK_BYTES)) {
        for (uint32_t slot = 0; slot < manager->first_unused; slot++)
            give_back_unit(manager, slot);
        atomic_store_explicit(&arena->header->chunk_high_water, 0, memory_order_relaxed);
    }
    arena_begin_account(arena);
    manager->free.count = manager->prepared.count = manager->released.count = 0;
    manager->untold = 0;
    manager->first_unused = manager->slot_count; /* nothing more is handed out */
    pthread_mutex_unlock(&manager->lock);
}

struct arena *chunk_manager_arena(const struct chunk_manager *manager)
{
    return manager->arena;
}

/* A slot without memory; SLOT_NONE when all are taken. */
static uint32_t find_slot(struct chunk_manager *manager)
{
    uint32_t slot = slot_list_pop_front(&manager->free, manager->links);
    if (slot != SLOT_NONE)
        return slot;
    if (manager->first_unused == manager->slot_count)
        return SLOT_NONE;
    slot = manager->first_unused++;
    _Atomic uint64_t *high_water = &manager->arena->header->chunk_high_water;
    if (atomic_load_explicit(high_water, memory_order_relaxed) < manager->first_unused)
        atomic_store_explicit(high_water, manager->first_unused, memory_order_release);
    return slot;
}

uint32_t chunk_manager_take_slot(struct chunk_manager *manager)
{
    uint32_t unit;
    if (manager->live_chunks >= manager->limit_chunks || arena_take_unit(manager->arena, &unit) < 0)
        return SLOT_NONE;
    uint32_t slot = find_slot(manager);
    if (slot == SLOT_NONE) {
        arena_give_back_unit(manager->arena, unit);
        return SLOT_NONE;
    }
    manager->units[slot] = unit + 1;
    manager->live_chunks++;
    return slot;
}

bool chunk_manager_discard_slot(struct chunk_manager *manager, uint32_t slot)
{
    bool is_freed = free_memory(arena_chunk(manager->arena, slot), CHUNK_BYTES);
    if (is_freed) {
        manager->live_chunks--;
        give_back_unit(manager, slot);
    }
    slot_list_push_back(is_freed ? &manager->free : &manager->prepared, manager->links, slot);
    return is_freed;
}

/* Where nobody waits for profd's orders it destroys released chunks itself, oldest first. */
static bool is_destroyed(const struct chunk_manager *manager, uint32_t slot)
{
    return !chunk_has_memory(arena_chunk(manager->arena, slot));
}

/* SLOT, which profd destroyed, has no memory but for what asking it took. One that is still being
 * destroyed is given up: nobody says when that will be done. */
static void collect_slot(struct chunk_manager *manager, uint32_t slot)
{
    struct chunk *chunk = arena_chunk(manager->arena, slot);
    if (manager->units[slot] != 0)
        arena_forget_unit(manager->arena);
    manager->units[slot] = 0;
    manager->live_chunks--;
    if (atomic_load(&chunk->state) == CHUNK_FREE && free_memory(chunk, CHUNK_BYTES))
        slot_list_push_back(&manager->free, manager->links, slot);
}

static void collect_destroyed(struct chunk_manager *manager)
{
    struct slot_list *released = &manager->released;
    while (released->count > 0 && is_destroyed(manager, released->first))
        collect_slot(manager, slot_list_pop_front(released, manager->links));
    if (manager->untold > released->count)
        manager->untold = released->count;
}

uint32_t chunk_manager_take_released(struct chunk_manager *manager)
{
    uint32_t slot = slot_list_pop_front(&manager->released, manager->links);
    if (manager->untold > manager->released.count)
        manager->untold = manager->released.count;
    return slot;
}

/* Moves CHUNK from state FROM to state TO, and counts what a released one loses by that. False when
 * profd was faster, or the program overwrote the header. */
static bool move_counted_chunk(struct chunk_manager *manager, struct chunk *chunk,
                               enum chunk_state from, enum chunk_state to)
{
    bool is_moved = chunk_move(chunk, from, to) == 0;
    if (is_moved && from == CHUNK_RELEASED)
        arena_count_recycled_chunk(manager->arena->header, chunk);
    return is_moved;
}

bool chunk_manager_destroy_oldest(struct chunk_manager *manager)
{
    collect_destroyed(manager);
    uint32_t slot = chunk_manager_take_released(manager);
    if (slot == SLOT_NONE)
        return false;
    struct chunk *chunk = arena_chunk(manager->arena, slot);
    arena_begin_move(manager->arena->header);
    bool is_free = move_counted_chunk(manager, chunk, CHUNK_RELEASED, CHUNK_FREE);
    arena_end_move(manager->arena->header);
    if (is_free)
        return chunk_manager_discard_slot(manager, slot);
    if (!is_destroyed(manager, slot))
        return false; /* the program overwrote the header; the slot is lost, and stays counted */
    collect_slot(manager, slot); /* profd was faster */
    return true;
}

static void trim_to_limit(struct chunk_manager *manager)
{
    collect_destroyed(manager);
    while (manager->live_chunks > manager->limit_chunks) {
        uint32_t slot = slot_list_pop_front(&manager->prepared, manager->links);
        if (slot != SLOT_NONE ? !chunk_manager_discard_slot(manager, slot)
                              : !chunk_manager_destroy_oldest(manager))
            return;
    }
}

/* A slot for a new chunk, and the state that its chunk is in; SLOT_NONE when there is none. */
static uint32_t choose_slot(struct chunk_manager *manager, enum chunk_state *state)
{
    *state = CHUNK_FREE;
    if (manager->live_chunks > manager->limit_chunks)
        return SLOT_NONE;
    uint32_t slot = slot_list_pop_front(&manager->prepared, manager->links);
    if (slot == SLOT_NONE)
        slot = chunk_manager_take_slot(manager);
    if (slot == SLOT_NONE) {
        *state = CHUNK_RELEASED;
        slot = chunk_manager_take_released(manager);
    }
    return slot;
}

/* Takes a chunk into use that is nobody's, or of the oldest released one what it can be: profd may
 * be destroying that at this moment. NULL when there is none. */
static struct chunk *take_chunk(struct chunk_manager *manager, uint32_t *slot)
{
    enum chunk_state state;
    while ((*slot = choose_slot(manager, &state)) != SLOT_NONE) {
        struct chunk *chunk = arena_chunk(manager->arena, *slot);
        if (move_counted_chunk(manager, chunk, state, CHUNK_IN_USE))
            return chunk;
        if (state != CHUNK_RELEASED || !is_destroyed(manager, *slot))
            return NULL; /* the program overwrote the header; the slot is lost, and stays counted */
        collect_slot(manager, *slot);
    }
    return NULL;
}

static void begin_chunk(struct chunk_manager *manager, struct chunk *chunk, uint32_t slot,
                        uint32_t writer_index)
{
    uint64_t range_start = atomic_fetch_add_explicit(&manager->arena->header->next_range_start,
                                                     CHUNK_BUFFER_BYTES, memory_order_relaxed);
    chunk_begin(chunk, writer_index, manager->generation, range_start);
    atomic_store_explicit(&chunk->held_unit, manager->units[slot], memory_order_relaxed);
}

static struct chunk *get_locked(struct chunk_manager *manager, uint32_t writer_index)
{
    uint32_t slot;
    arena_begin_move(manager->arena->header);
    struct chunk *chunk = take_chunk(manager, &slot);
    if (chunk != NULL)
        begin_chunk(manager, chunk, slot, writer_index);
    arena_end_move(manager->arena->header);
    return chunk;
}

/* The slot of CHUNK, or SLOT_NONE if it is not of this arena. */
static uint32_t slot_of(const struct chunk_manager *manager, const struct chunk *chunk)
{
    uintptr_t distance = (uintptr_t)chunk - (uintptr_t)manager->arena->chunks;
    if (distance % CHUNK_BYTES != 0 || distance / CHUNK_BYTES >= manager->slot_count)
        return SLOT_NONE;
    return (uint32_t)(distance / CHUNK_BYTES);
}

/* Counts what CHUNK holds and closes it, at DONE. False when the program overwrote the header: what
 * was recorded is lost then, and is missed. */
static bool close_chunk(struct chunk_manager *manager, struct chunk *chunk, struct clock_pair done)
{
    struct arena_header *header = manager->arena->header;
    arena_begin_move(header);
    arena_count_closed_chunk(header, chunk);
    bool is_closed = chunk_move(chunk, CHUNK_IN_USE, CHUNK_DONE) == 0;
    if (is_closed) {
        chunk->done = done;
        is_closed = chunk_move(chunk, CHUNK_DONE, CHUNK_RELEASED) == 0;
    }
    arena_end_move(header);
    return is_closed;
}

void chunk_manager_release_locked(struct chunk_manager *manager, struct chunk *chunk)
{
    uint32_t slot = slot_of(manager, chunk);
    const struct clock_pair done = clock_read_pair();
    if (slot == SLOT_NONE || !close_chunk(manager, chunk, done))
        return;
    manager->done_ns[slot] = done.monotonic_ns;
    slot_list_push_back(&manager->released, manager->links, slot);
    manager->untold++;
}

struct chunk *chunk_manager_get(struct chunk_manager *manager, uint32_t writer_index)
{
    return chunk_manager_exchange(manager, NULL, writer_index);
}

void chunk_manager_release(struct chunk_manager *manager, struct chunk *chunk)
{
    pthread_mutex_lock(&manager->lock);
    chunk_manager_release_locked(manager, chunk);
    trim_to_limit(manager);
    chunk_manager_notify(manager);
    pthread_mutex_unlock(&manager->lock);
}

static struct chunk *exchange_locked(struct chunk_manager *manager, struct chunk *full,
                                     uint32_t writer_index)
{
    if (full != NULL)
        chunk_manager_release_locked(manager, full);
    trim_to_limit(manager);
    return get_locked(manager, writer_index);
}

struct chunk *chunk_manager_exchange(struct chunk_manager *manager, struct chunk *full,
                                     uint32_t writer_index)
{
    pthread_mutex_lock(&manager->lock);
    struct chunk *chunk = exchange_locked(manager, full, writer_index);
    chunk_manager_notify(manager);
    pthread_mutex_unlock(&manager->lock);
    return chunk;
}

bool chunk_manager_try_exchange(struct chunk_manager *manager, struct chunk *full,
                                uint32_t writer_index, struct chunk **out)
{
    if (pthread_mutex_trylock(&manager->lock) != 0)
        return false;
    *out = exchange_locked(manager, full, writer_index);
    manager->owes_update |= full != NULL || *out != NULL;
    pthread_mutex_unlock(&manager->lock);
    return true;
}

void chunk_manager_set_limit(struct chunk_manager *manager, uint64_t limit_bytes)
{
    pthread_mutex_lock(&manager->lock);
    manager->limit_chunks = limit_in_chunks(manager, limit_bytes);
    trim_to_limit(manager);
    chunk_manager_notify(manager);
    pthread_mutex_unlock(&manager->lock);
}
