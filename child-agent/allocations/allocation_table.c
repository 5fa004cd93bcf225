#include "child-agent/allocations/allocation_table.h"

enum { FILTER_MOST = UINT8_MAX };

static const uint64_t EMPTY = 0, TAKEN = 1; /* TAKEN: somebody is at it */

static _Atomic uint8_t *filter_place(struct allocation_table *table, uint64_t address)
{
    return &table->filter[allocation_filter_place(address)];
}

static size_t bucket_of(uint64_t address)
{
    uint64_t hash = (address >> 4) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(hash >> (64 - ALLOCATION_BUCKET_BITS));
}

/* Adds CHANGE to a place of the filter; one that was ever full stays so. */
static void change_filter(struct allocation_table *table, uint64_t address, int change)
{
    _Atomic uint8_t *place = filter_place(table, address);
    uint8_t count = atomic_load(place);
    while (count != FILTER_MOST &&
           !atomic_compare_exchange_weak(place, &count, (uint8_t)(count + change)))
        ;
}

/* Gets hold of the slot if it has ADDRESS. */
static bool claim_address(_Atomic uint64_t *slot, uint64_t address)
{
    uint64_t expected = address;
    return atomic_load_explicit(slot, memory_order_relaxed) == address &&
           atomic_compare_exchange_strong(slot, &expected, TAKEN);
}

/* The slot of BUCKET that ADDRESS was in, or else an empty one, or one of another recording, got
 * hold of; -1 when there is none. */
static int claim_slot(struct allocation_table *table, size_t bucket, uint64_t address,
                      uint32_t generation)
{
    _Atomic uint64_t *slots = table->addresses[bucket];
    for (int way = 0; way < ALLOCATION_WAYS; way++) {
        if (claim_address(&slots[way], address)) {
            change_filter(table, address, -1);
            return way;
        }
    }
    for (int way = 0; way < ALLOCATION_WAYS; way++)
        if (claim_address(&slots[way], EMPTY))
            return way;
    for (int way = 0; way < ALLOCATION_WAYS; way++) {
        uint64_t old = atomic_load(&slots[way]);
        if (old != TAKEN && table->facts[bucket][way].generation != generation &&
            claim_address(&slots[way], old)) {
            change_filter(table, old, -1);
            return way;
        }
    }
    return -1;
}

bool allocation_table_put(struct allocation_table *table, const void *address,
                          const struct sampled_allocation *facts)
{
    uint64_t key = (uint64_t)address;
    size_t bucket = bucket_of(key);
    int way = claim_slot(table, bucket, key, facts->generation);
    if (way < 0)
        return false;
    change_filter(table, key, 1);
    table->facts[bucket][way] = *facts;
    atomic_store_explicit(&table->addresses[bucket][way], key, memory_order_release);
    return true;
}

bool allocation_table_take(struct allocation_table *table, const void *address,
                           struct sampled_allocation *out)
{
    uint64_t key = (uint64_t)address;
    size_t bucket = bucket_of(key);
    for (int way = 0; way < ALLOCATION_WAYS; way++) {
        if (!claim_address(&table->addresses[bucket][way], key))
            continue;
        *out = table->facts[bucket][way];
        atomic_store_explicit(&table->addresses[bucket][way], EMPTY, memory_order_release);
        change_filter(table, key, -1);
        return true;
    }
    return false;
}
