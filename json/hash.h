/* Hash probing for tables of unique items. */
#ifndef PROFD_JSON_HASH_H
#define PROFD_JSON_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "buffer/hash_bytes.h"
#include "json/mapped_array.h"

/* A table has uint32_t slots, each an index + 1 or 0. Their number is a power of two, and at most
 * half of them are in use. */
struct hash_probe {
    const uint32_t *slots;
    size_t mask, at;
};

static inline struct hash_probe hash_probe_start(const struct mapped_array *slots, uint64_t hash)
{
    size_t mask = slots->count - 1;
    return (struct hash_probe){ .slots = slots->items, .mask = mask, .at = hash & mask };
}

/* Returns the index at the probe, plus 1, and moves on; 0 ends the search. */
static inline uint32_t hash_probe_next(struct hash_probe *probe)
{
    uint32_t slot = probe->slots[probe->at];
    probe->at = (probe->at + 1) & probe->mask;
    return slot;
}

/* Puts INDEX into a free slot for HASH; there must be one. */
static inline void hash_insert(struct mapped_array *slots, uint64_t hash, uint32_t index)
{
    uint32_t *items = slots->items;
    size_t mask = slots->count - 1, at = hash & mask;
    while (items[at] != 0)
        at = (at + 1) & mask;
    items[at] = index + 1;
}

/* Makes SLOTS large enough for COUNT items, whose hashes HASH_OF returns. Returns 0, or -ENOMEM:
 * then SLOTS is unchanged. */
int hash_make_room(struct mapped_array *slots, uint32_t count,
                   uint64_t (*hash_of)(const void *table, uint32_t index), const void *table);

#endif
