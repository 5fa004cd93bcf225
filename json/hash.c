#include "json/hash.h"

#include <errno.h>

enum { FIRST_SLOTS = 1024 };

int hash_make_room(struct mapped_array *slots, uint32_t count,
                   uint64_t (*hash_of)(const void *table, uint32_t index), const void *table)
{
    if ((size_t)count * 2 < slots->count)
        return 0;
    struct mapped_array larger = { 0 };
    size_t wanted = slots->count == 0 ? FIRST_SLOTS : slots->count * 2;
    int error = mapped_array_reserve(&larger, wanted, sizeof(uint32_t));
    if (error < 0)
        return error;
    larger.count = wanted;
    for (uint32_t index = 0; index < count; index++)
        hash_insert(&larger, hash_of(table, index), index);
    mapped_array_free(slots);
    *slots = larger;
    return 0;
}
