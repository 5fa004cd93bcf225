#include "buffer/chunk_update.h"

#include <errno.h>
#include <string.h>

/* Drops the released chunks that were done before OLDEST_DONE_NS; all if there are none left. */
static void forget_gone(struct chunk_update *update, uint64_t oldest_done_ns)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < update->newly_released_count; i++)
        if (oldest_done_ns != 0 && update->newly_released[i].done_ns >= oldest_done_ns)
            update->newly_released[kept++] = update->newly_released[i];
    update->newly_released_count = kept;
}

static void append_released(struct chunk_update *update, const struct chunk_update *next)
{
    uint32_t room = CHUNK_UPDATE_MAX_RELEASED - update->newly_released_count;
    uint32_t count = next->newly_released_count < room ? next->newly_released_count : room;
    memcpy(&update->newly_released[update->newly_released_count], next->newly_released,
           count * sizeof(next->newly_released[0]));
    update->newly_released_count += count;

    uint64_t lost = (uint64_t)update->newly_released_lost + next->newly_released_lost +
                    (next->newly_released_count - count);
    update->newly_released_lost = lost < UINT32_MAX ? (uint32_t)lost : UINT32_MAX;
}

int chunk_update_fold(struct chunk_update *pending, const struct chunk_update *next)
{
    if (next->kind == CHUNK_UPDATE_NONE)
        return 0;
    if (pending->kind == CHUNK_UPDATE_FINAL)
        return -EINVAL;
    if (pending->kind == CHUNK_UPDATE_NONE) {
        pending->newly_released_count = 0;
        pending->newly_released_lost = 0;
    }
    if (next->newly_released_count > CHUNK_UPDATE_MAX_RELEASED ||
        pending->newly_released_count > CHUNK_UPDATE_MAX_RELEASED)
        return -EINVAL;

    forget_gone(pending, next->oldest_done_ns);
    append_released(pending, next);
    pending->kind = next->kind;
    pending->unreleased_bytes = next->unreleased_bytes;
    pending->released_bytes = next->released_bytes;
    pending->dictionary_bytes = next->dictionary_bytes;
    pending->oldest_done_ns = next->oldest_done_ns;
    return 0;
}
