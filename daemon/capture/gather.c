#include "daemon/capture/gather.h"

#include <errno.h>
#include <stdlib.h>

#include "json/progress.h"

int gather_create(size_t count, uint64_t timeout_ms, struct gather *gather)
{
    struct gather_item *items = calloc(count > 0 ? count : 1, sizeof(*items));

    *gather = (struct gather){ 0 };
    if (items == NULL)
        return -ENOMEM;
    *gather =
        (struct gather){ .items = items, .count = count, .done = count, .timeout_ms = timeout_ms };
    for (size_t i = 0; i < count; i++)
        gather->items[i].state = GATHER_DONE;
    return 0;
}

void gather_destroy(struct gather *gather)
{
    free(gather->items);
    gather->items = NULL;
}

void gather_set(struct gather *gather, size_t index, enum gather_state state, bool is_stored,
                uint64_t recorded_bytes)
{
    gather->items[index] = (struct gather_item){
        .state = state,
        .estimate_bytes = recorded_bytes * GATHER_JSON_RATIO,
        .is_alone = !is_stored,
    };
    gather->done--;
}

/* One item may always be in the making, however large it is, or it never would be. */
static bool has_room(const struct gather *gather, uint64_t bytes)
{
    return gather->bytes_in_flight == 0 ||
           gather->bytes_in_flight + bytes <= GATHER_BYTES_IN_FLIGHT;
}

long gather_next_to_ask(struct gather *gather)
{
    size_t *next = &gather->next_waiting;

    while (*next < gather->count && gather->items[*next].state != GATHER_WAITING)
        (*next)++;
    if (*next == gather->count || gather->asked >= GATHER_WINDOW ||
        !has_room(gather, gather->items[*next].estimate_bytes))
        return -1;
    gather->items[*next].state = GATHER_ASKED;
    gather->asked++;
    gather->bytes_in_flight += gather->items[*next].estimate_bytes;
    return (long)(*next)++;
}

size_t gather_next_to_salvage(struct gather *gather, size_t *indices, size_t capacity)
{
    size_t count = 0;
    uint64_t batch_bytes = 0;

    for (size_t i = gather->next_salvage; i < gather->count && count < capacity; i++) {
        struct gather_item *item = &gather->items[i];
        if (item->state != GATHER_SALVAGE)
            continue;
        if (count > 0 && item->is_alone)
            break;
        if (!has_room(gather, item->estimate_bytes) ||
            (count > 0 && batch_bytes + item->estimate_bytes > GATHER_BATCH_BYTES))
            break;
        item->state = GATHER_SALVAGING;
        gather->bytes_in_flight += item->estimate_bytes;
        batch_bytes += item->estimate_bytes;
        indices[count++] = i;
        if (item->is_alone)
            break;
    }
    if (count > 0)
        gather->next_salvage = indices[count - 1] + 1;
    return count;
}

void gather_note_proportion(struct gather *gather, size_t index, uint64_t proportion)
{
    struct gather_item *item = &gather->items[index];

    if (item->state != GATHER_ASKED || proportion <= item->proportion)
        return;
    item->proportion = proportion < PROGRESS_SCALE ? proportion : PROGRESS_SCALE;
    gather->has_progress = true;
}

bool gather_note_made(struct gather *gather, size_t index, uint64_t json_bytes)
{
    struct gather_item *item = &gather->items[index];

    if (item->state != GATHER_ASKED && item->state != GATHER_SALVAGING)
        return false;
    if (item->state == GATHER_ASKED)
        gather->asked--;
    gather->bytes_in_flight += json_bytes - item->estimate_bytes;
    gather->has_progress = true;
    item->estimate_bytes = json_bytes;
    item->state = GATHER_MADE;
    if (json_bytes == 0)
        gather_note_done(gather, index);
    return true;
}

/* No answer will come from an item that was asked, or was to be. */
static bool stop_asking(struct gather *gather, struct gather_item *item)
{
    if (item->state == GATHER_ASKED) {
        gather->asked--;
        gather->bytes_in_flight -= item->estimate_bytes;
    } else if (item->state != GATHER_WAITING) {
        return false;
    }
    gather->has_progress = true;
    return true;
}

static void to_salvage(struct gather *gather, size_t index)
{
    gather->items[index].state = GATHER_SALVAGE;
    if (index < gather->next_salvage)
        gather->next_salvage = index;
}

bool gather_note_failed(struct gather *gather, size_t index)
{
    if (!stop_asking(gather, &gather->items[index]))
        return false;
    gather->items[index].is_alone = true;
    to_salvage(gather, index);
    return true;
}

bool gather_note_ready(struct gather *gather, size_t index)
{
    struct gather_item *item = &gather->items[index];

    if (item->state != GATHER_ASKED || !gather_note_failed(gather, index))
        return false;
    item->is_ready = true;
    return true;
}

bool gather_note_busy(struct gather *gather, size_t index)
{
    struct gather_item *item = &gather->items[index];

    if (item->state != GATHER_ASKED || item->busy_answers == GATHER_MAX_BUSY)
        return false;
    item->busy_answers++;
    stop_asking(gather, item);
    item->state = GATHER_WAITING;
    if (index < gather->next_waiting)
        gather->next_waiting = index;
    return true;
}

bool gather_note_ended(struct gather *gather, size_t index)
{
    struct gather_item *item = &gather->items[index];

    /* One that was to be salvaged as frozen is so from the store, where it is complete. */
    if (item->state != GATHER_SALVAGE && !stop_asking(gather, item))
        return false;
    item->state = GATHER_STORING;
    return true;
}

void gather_note_stored(struct gather *gather, size_t index)
{
    if (gather->items[index].state != GATHER_STORING)
        return;
    gather->items[index].is_alone = false;
    to_salvage(gather, index);
}

bool gather_note_outdated(struct gather *gather, size_t index)
{
    struct gather_item *item = &gather->items[index];

    if (item->state != GATHER_SALVAGING)
        return false;
    gather->bytes_in_flight -= item->estimate_bytes;
    gather->has_progress = true;
    item->state = GATHER_STORING;
    return true;
}

void gather_note_retry(struct gather *gather, size_t index)
{
    struct gather_item *item = &gather->items[index];

    if (item->state != GATHER_SALVAGING)
        return;
    gather->bytes_in_flight -= item->estimate_bytes;
    to_salvage(gather, index);
}

void gather_note_done(struct gather *gather, size_t index)
{
    struct gather_item *item = &gather->items[index];

    if (item->state == GATHER_MADE || item->state == GATHER_SALVAGING)
        gather->bytes_in_flight -= item->estimate_bytes;
    else if (item->state != GATHER_STORING)
        return;
    gather->has_progress = true;
    item->state = GATHER_DONE;
    gather->done++;
}

void gather_note_output(struct gather *gather)
{
    gather->has_progress = true;
}

enum gather_verdict gather_poll(struct gather *gather)
{
    bool is_waiting_for_children = gather->asked > 0;
    bool had_progress = gather->has_progress;

    gather->has_progress = false;
    if (!is_waiting_for_children) {
        gather->polls_without_progress = 0;
        return GATHER_GO_ON;
    }
    gather->waited_ms += GATHER_POLL_MS;
    gather->polls_without_progress = had_progress ? 0 : gather->polls_without_progress + 1;
    if (gather->timeout_ms != 0 && gather->waited_ms >= gather->timeout_ms)
        return GATHER_TIMED_OUT;
    if (gather->polls_without_progress < GATHER_POLLS_WITHOUT_PROGRESS)
        return GATHER_GO_ON;
    gather->polls_without_progress = 0;
    return GATHER_STALLED;
}

uint64_t gather_proportion(const struct gather *gather)
{
    if (gather->count == 0)
        return PROGRESS_SCALE;

    uint64_t sum = gather->done * (uint64_t)PROGRESS_SCALE;
    for (size_t i = 0; i < gather->count; i++) {
        if (gather->items[i].state == GATHER_ASKED)
            sum += gather->items[i].proportion / 2; /* writing it is the other half */
        else if (gather->items[i].state == GATHER_MADE)
            sum += PROGRESS_SCALE / 2;
    }
    return sum / gather->count;
}
