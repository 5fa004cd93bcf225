#include "buffer/group_table.h"

#include <errno.h>
#include <string.h>

#include "buffer/arena.h"
#include "common/time_units.h"

enum { RECORD_ALIGNMENT = 8 };

_Static_assert(sizeof(struct group_record) == 232, "256 bytes with a usual name");
_Static_assert(GROUP_TEXT_MOST_BYTES <= UINT8_MAX, "a length fits its byte");

static uint8_t text_bytes_of(const char *text)
{
    return (uint8_t)strnlen(text, GROUP_TEXT_MOST_BYTES);
}

static void fill_record(struct group_record *record, const struct group_identity *identity,
                        uint32_t bytes)
{
    record->bytes = bytes;
    record->flags = identity->flags;
    record->kind_bytes = text_bytes_of(identity->kind);
    record->name_bytes = text_bytes_of(identity->name);
    atomic_store(&record->thread, identity->thread);
    record->id = identity->id;
    memcpy(record->text, identity->kind, record->kind_bytes);
    memcpy(record->text + record->kind_bytes, identity->name, record->name_bytes);
}

static uint64_t bytes_of(const struct group_identity *identity)
{
    uint64_t bytes =
        sizeof(struct group_record) + text_bytes_of(identity->kind) + text_bytes_of(identity->name);
    return (bytes + RECORD_ALIGNMENT - 1) / RECORD_ALIGNMENT * RECORD_ALIGNMENT;
}

int group_table_take(struct arena *arena, uint64_t bytes, void **out)
{
    struct group_table_header *table = &arena->header->groups;
    uint64_t used = atomic_load_explicit(&table->used_bytes, memory_order_relaxed);
    if (used > table->room_bytes || bytes > table->room_bytes - used)
        return -ENOSPC;
    int error = arena_lease_groups(arena, used + bytes);
    if (error < 0)
        return error;
    *out = (uint8_t *)arena->header + table->offset + used;
    return 0;
}

void group_table_publish(struct arena *arena, uint64_t bytes)
{
    _Atomic uint64_t *used = &arena->header->groups.used_bytes;
    uint64_t before = atomic_load_explicit(used, memory_order_relaxed);
    atomic_store_explicit(used, before + bytes, memory_order_release);
}

int group_table_add(struct arena *arena, const struct group_identity *identity,
                    struct group_record **out)
{
    uint64_t bytes = bytes_of(identity);
    void *room;
    int error = group_table_take(arena, bytes, &room);
    if (error < 0)
        return error;
    *out = room;
    fill_record(*out, identity, (uint32_t)bytes);
    group_table_publish(arena, bytes);
    return 0;
}

unsigned group_thresholds_exceeded(uint64_t duration_ns)
{
    uint64_t ms = duration_ns / NS_PER_MS;
    bool is_whole = duration_ns % NS_PER_MS == 0;
    unsigned count = 0;
    while (count < GROUP_THRESHOLDS &&
           (ms > UINT64_C(1) << count || (ms == UINT64_C(1) << count && !is_whole)))
        count++;
    return count;
}

static void count_exceeded(_Atomic uint64_t *counts, uint64_t duration_ns)
{
    unsigned exceeded = group_thresholds_exceeded(duration_ns);
    for (unsigned i = 0; i < exceeded; i++)
        atomic_fetch_add_explicit(&counts[i], 1, memory_order_relaxed);
}

static void add(_Atomic uint64_t *total, uint64_t amount)
{
    if (amount != 0)
        atomic_fetch_add_explicit(total, amount, memory_order_relaxed);
}

void group_record_add(struct group_record *record, const struct group_costs *costs)
{
    add(&record->cpu_ns, costs->cpu_ns);
    add(&record->wall_ns, costs->wall_ns);
    add(&record->blocked_ns, costs->blocked_ns);
    add(&record->unattributed_ns, costs->unattributed_ns);
}

void group_record_commit(struct group_record *record, const struct group_costs *costs)
{
    group_record_add(record, costs);
    add(&record->ticks, 1);
    count_exceeded(record->cpu_exceeded, costs->cpu_ns);
    count_exceeded(record->wall_exceeded, costs->wall_ns);
}
