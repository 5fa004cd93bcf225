#include "daemon/memory/memory_controller.h"

#include <errno.h>

#include "buffer/arena.h"
#include "buffer/lease_ledger.h"

enum {
    /* In parts of the limit: what the ledger keeps for those that start, and what is to be free
     * beyond. */
    STARTUP_SHARE = 8,
    FREE_SHARE = 16,
};

uint64_t memory_controller_target(uint64_t limit_bytes)
{
    uint64_t units = limit_bytes / LEASE_UNIT_BYTES;
    return (units - units / STARTUP_SHARE - units / FREE_SHARE) * LEASE_UNIT_BYTES;
}

void memory_controller_init(struct memory_controller *controller, uint64_t target_bytes,
                            uint64_t patience_ns)
{
    *controller = (struct memory_controller){
        .target_bytes = target_bytes,
        .patience_ns = patience_ns,
    };
}

void memory_controller_fini(struct memory_controller *controller)
{
    age_heap_free(&controller->heap);
}

/* --- One source --- */

/* Puts SOURCE where its oldest chunk that may still be chosen belongs. */
static void rank_source(struct memory_controller *controller, struct memory_source *source)
{
    bool may_give = !source->is_held && !source->is_final && !source->is_stalled &&
                    source->ordered < source->chunks.count;

    if (may_give)
        age_heap_put(&controller->heap, source,
                     chunk_ages_at(&source->chunks, source->ordered)->done_ns);
    else
        age_heap_take_out(&controller->heap, source);
}

/* BYTES of SOURCE were ordered to be destroyed (positive), or are no longer waited for. */
static void change_ordered(struct memory_controller *controller, struct memory_source *source,
                           int64_t bytes)
{
    source->ordered_bytes += (uint64_t)bytes;
    if (!source->is_stalled)
        controller->going_bytes += (uint64_t)bytes;
}

static void set_stalled(struct memory_controller *controller, struct memory_source *source,
                        bool is_stalled)
{
    if (source->is_stalled == is_stalled)
        return;
    source->is_stalled = is_stalled;
    if (is_stalled) {
        controller->going_bytes -= source->ordered_bytes;
        controller->stalled_count++;
    } else {
        controller->going_bytes += source->ordered_bytes;
        controller->stalled_count--;
    }
}

static void pop_oldest(struct memory_controller *controller, struct memory_source *source)
{
    struct chunk_age gone = chunk_ages_pop_front(&source->chunks);

    if (source->ordered > 0) {
        source->ordered--;
        change_ordered(controller, source, -(int64_t)gone.bytes);
    }
}

/* The order of SOURCE has been carried out, or cannot be. */
static void end_order(struct memory_controller *controller, struct memory_source *source)
{
    memory_source_leave(source);
    set_stalled(controller, source, false);
}

int memory_controller_add(struct memory_controller *controller, struct memory_source *source,
                          enum memory_source_kind kind, uint64_t cap_bytes, void *owner)
{
    int error = age_heap_reserve(&controller->heap, controller->source_count + 1);
    if (error < 0)
        return error;
    *source = (struct memory_source){
        .owner = owner,
        .kind = kind,
        .cap_bytes = cap_bytes,
        .heap_position = AGE_HEAP_NOWHERE,
        .is_added = true,
    };
    controller->source_count++;
    return 0;
}

static void forget_chunks(struct memory_controller *controller, struct memory_source *source)
{
    while (source->chunks.count > 0)
        pop_oldest(controller, source);
    end_order(controller, source);
}

void memory_controller_remove(struct memory_controller *controller, struct memory_source *source)
{
    if (!source->is_added)
        return;
    forget_chunks(controller, source);
    memory_controller_set_bytes(controller, source, 0);
    age_heap_take_out(&controller->heap, source);
    chunk_ages_free(&source->chunks);
    source->is_added = false;
    controller->source_count--;
}

void memory_controller_set_bytes(struct memory_controller *controller, struct memory_source *source,
                                 uint64_t bytes)
{
    if (bytes > source->cap_bytes)
        bytes = source->cap_bytes;
    controller->reported_bytes += bytes - source->bytes;
    source->bytes = bytes;
}

int memory_controller_add_chunk(struct memory_controller *controller, struct memory_source *source,
                                struct chunk_age chunk)
{
    int error = chunk_ages_insert(&source->chunks, chunk);
    rank_source(controller, source);
    return error;
}

void memory_controller_set_chunks(struct memory_controller *controller,
                                  struct memory_source *source, struct chunk_ages *chunks)
{
    source->chunks = *chunks;
    *chunks = (struct chunk_ages){ 0 };
    rank_source(controller, source);
}

void memory_controller_hold(struct memory_controller *controller, struct memory_source *source,
                            bool is_held)
{
    if (!source->is_added)
        return;
    source->is_held = is_held;
    rank_source(controller, source);
}

/* --- Updates --- */

static uint64_t saturated_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* What the child has leased for what it says: whole units. */
static uint64_t bytes_of(const struct chunk_update *update)
{
    uint64_t front = saturated_sum(update->dictionary_bytes, ARENA_HEADER_BYTES);
    uint64_t units = front / LEASE_UNIT_BYTES + (front % LEASE_UNIT_BYTES != 0);
    uint64_t chunks = saturated_sum(update->unreleased_bytes, update->released_bytes);

    return saturated_sum(units * LEASE_UNIT_BYTES, chunks);
}

static struct chunk_age age_of(uint64_t done_ns)
{
    return (struct chunk_age){ .done_ns = done_ns, .bytes = LEASE_UNIT_BYTES };
}

/* No child has more chunks than its cap holds, whatever it says. */
static bool has_room(const struct memory_source *source)
{
    return source->chunks.count < source->cap_bytes / LEASE_UNIT_BYTES;
}

/* The time of UPDATE's oldest released chunk; 0: there is none. Nothing is from the future: it
 * would never go. */
static uint64_t oldest_of(const struct chunk_update *update, uint64_t now_ns)
{
    if (update->released_bytes == 0)
        return 0;
    return update->oldest_done_ns < now_ns ? update->oldest_done_ns : now_ns;
}

static void forget_gone(struct memory_controller *controller, struct memory_source *source,
                        uint64_t oldest_ns)
{
    while (source->chunks.count > 0 &&
           (oldest_ns == 0 || chunk_ages_at(&source->chunks, 0)->done_ns < oldest_ns))
        pop_oldest(controller, source);
}

static int learn_new(struct memory_source *source, const struct chunk_update *update,
                     uint64_t oldest_ns, uint64_t now_ns)
{
    uint32_t count = update->newly_released_count;

    if (count > CHUNK_UPDATE_MAX_RELEASED)
        count = CHUNK_UPDATE_MAX_RELEASED;
    for (uint32_t i = 0; i < count && has_room(source); i++) {
        const struct chunk_ages *known = &source->chunks;
        uint64_t done_ns = update->newly_released[i].done_ns;
        if (done_ns > now_ns)
            done_ns = now_ns;
        bool is_known =
            known->count > 0 && chunk_ages_at(known, known->count - 1)->done_ns >= done_ns;
        if (is_known || oldest_ns == 0 || done_ns < oldest_ns)
            continue;
        int error = chunk_ages_push_back(&source->chunks, age_of(done_ns));
        if (error < 0)
            return error;
    }
    return 0;
}

/* The oldest is always known, also when its own update was lost. */
static int learn_oldest(struct memory_controller *controller, struct memory_source *source,
                        uint64_t oldest_ns)
{
    bool is_known = oldest_ns == 0 || (source->chunks.count > 0 &&
                                       chunk_ages_at(&source->chunks, 0)->done_ns <= oldest_ns);

    if (is_known || !has_room(source))
        return 0;
    int error = chunk_ages_push_front(&source->chunks, age_of(oldest_ns));
    if (error == 0 && source->ordered > 0) {
        source->ordered++; /* older than what was told to go */
        change_ordered(controller, source, LEASE_UNIT_BYTES);
    }
    return error;
}

/* Takes in what an update told about the order that SOURCE has; BEFORE chunks were ordered. */
static void follow_order(struct memory_controller *controller, struct memory_source *source,
                         uint32_t before, uint64_t now_ns)
{
    if (source->ordered == 0) {
        end_order(controller, source);
    } else if (source->is_stalled) {
        memory_source_join(&controller->reminded, source);
    } else if (source->ordered < before) {
        source->deadline_ns = now_ns + controller->patience_ns;
        memory_source_join(&controller->waiting, source);
    }
}

int memory_controller_update(struct memory_controller *controller, struct memory_source *source,
                             uint64_t generation, const struct chunk_update *update,
                             uint64_t now_ns)
{
    if (generation != controller->generation)
        return -ESTALE;
    if (update->kind == CHUNK_UPDATE_NONE)
        return 0;

    uint64_t oldest_ns = oldest_of(update, now_ns);
    uint32_t ordered_before = source->ordered;
    source->is_final = update->kind == CHUNK_UPDATE_FINAL;
    memory_controller_set_bytes(controller, source, bytes_of(update));
    int error = 0;
    if (source->is_final) {
        forget_chunks(controller, source);
    } else {
        forget_gone(controller, source, oldest_ns);
        error = learn_new(source, update, oldest_ns, now_ns);
        if (error == 0)
            error = learn_oldest(controller, source, oldest_ns);
        follow_order(controller, source, ordered_before, now_ns);
    }
    rank_source(controller, source);
    return error;
}

/* --- Totals --- */

void memory_controller_note_taken(struct memory_controller *controller, uint64_t taken_bytes)
{
    controller->correction_bytes = (int64_t)(taken_bytes - controller->reported_bytes);
}

uint64_t memory_controller_total(const struct memory_controller *controller)
{
    int64_t total = (int64_t)controller->reported_bytes + controller->correction_bytes -
                    (int64_t)controller->going_bytes;
    return total > 0 ? (uint64_t)total : 0;
}

/* --- Decisions --- */

static void give_up_waiting(struct memory_controller *controller, uint64_t now_ns)
{
    struct memory_source *source;

    while ((source = controller->waiting.first) != NULL && source->deadline_ns <= now_ns) {
        memory_source_leave(source);
        set_stalled(controller, source, true);
        rank_source(controller, source);
    }
}

static bool next_reminder(struct memory_controller *controller, struct chunk_drop *out)
{
    struct memory_source *source = controller->reminded.first;

    if (source == NULL)
        return false;
    memory_source_leave(source);
    *out = (struct chunk_drop){
        .source = source,
        .done_ns = chunk_ages_at(&source->chunks, source->ordered - 1)->done_ns,
    };
    return true;
}

static void order_drop(struct memory_controller *controller, struct memory_source *source,
                       uint64_t now_ns, struct chunk_drop *out)
{
    const struct chunk_age *chunk = chunk_ages_at(&source->chunks, source->ordered);

    *out = (struct chunk_drop){ .source = source, .done_ns = chunk->done_ns };
    source->ordered++;
    change_ordered(controller, source, chunk->bytes);
    if (source->list == NULL) {
        source->deadline_ns = now_ns + controller->patience_ns;
        memory_source_join(&controller->waiting, source);
    }
}

static void drop_of_exit(struct memory_controller *controller, struct memory_source *source,
                         struct chunk_drop *out)
{
    struct chunk_age chunk = chunk_ages_pop_front(&source->chunks);
    uint64_t gone_bytes = chunk.bytes < source->bytes ? chunk.bytes : source->bytes;

    *out = (struct chunk_drop){ .source = source, .done_ns = chunk.done_ns, .slot = chunk.slot };
    memory_controller_set_bytes(controller, source, source->bytes - gone_bytes);
}

bool memory_controller_next_drop(struct memory_controller *controller, uint64_t now_ns,
                                 struct chunk_drop *out)
{
    give_up_waiting(controller, now_ns);
    if (next_reminder(controller, out))
        return true;
    if (memory_controller_total(controller) <= controller->target_bytes)
        return false;
    struct memory_source *source = age_heap_oldest(&controller->heap);
    if (source == NULL)
        return false;
    if (source->kind == MEMORY_OF_CHILD)
        order_drop(controller, source, now_ns, out);
    else
        drop_of_exit(controller, source, out);
    rank_source(controller, source);
    return true;
}
