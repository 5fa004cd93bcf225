#include "buffer/group_table_writer.h"

#include <errno.h>
#include <string.h>

enum { RECORD_ALIGNMENT = 8 };

_Static_assert(GROUP_TEXT_MAX_BYTES <= UINT8_MAX, "a length fits its byte");

static uint8_t text_bytes_of(const char *text)
{
    return (uint8_t)strnlen(text, GROUP_TEXT_MAX_BYTES);
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
