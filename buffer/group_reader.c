#include "buffer/group_reader.h"

#include <string.h>

static uint64_t read_number(const _Atomic uint64_t *number)
{
    return atomic_load_explicit(number, memory_order_relaxed);
}

/* Peaks and groups begin with the same. */
static bool is_peaks(const struct group_record *record)
{
    return (record->flags & GROUP_IS_PEAKS) != 0;
}

static bool is_record_sound(const struct group_record *record, size_t left)
{
    if (is_peaks(record))
        return record->bytes == sizeof(struct group_peaks) && record->bytes <= left;
    size_t text_bytes = (size_t)record->kind_bytes + record->name_bytes;
    return record->bytes % sizeof(uint64_t) == 0 && record->bytes <= left &&
           record->bytes >= sizeof(*record) + text_bytes;
}

static void fill_view(const struct group_record *record, struct group_view *out)
{
    *out = (struct group_view){
        .kind = record->text,
        .kind_bytes = record->kind_bytes,
        .name = record->text + record->kind_bytes,
        .name_bytes = record->name_bytes,
        .flags = record->flags,
        .thread = atomic_load_explicit(&record->thread, memory_order_relaxed),
        .id = record->id,
        .running_since_ns = read_number(&record->running_since_ns),
        .ticks = read_number(&record->ticks),
        .costs = { read_number(&record->cpu_ns), read_number(&record->wall_ns),
                   read_number(&record->blocked_ns), read_number(&record->unattributed_ns) },
    };
    for (unsigned i = 0; i < GROUP_THRESHOLDS; i++) {
        out->cpu_exceeded[i] = read_number(&record->cpu_exceeded[i]);
        out->wall_exceeded[i] = read_number(&record->wall_exceeded[i]);
    }
}

/* The next record; NULL: there is none. */
static const struct group_record *next_record(struct group_reader *reader)
{
    size_t left = reader->bytes - reader->at;
    const struct group_record *record = (const void *)(reader->memory + reader->at);
    if (left < sizeof(*record) || !is_record_sound(record, left))
        return NULL;
    reader->at += record->bytes;
    return record;
}

bool group_reader_next(struct group_reader *reader, struct group_view *out)
{
    const struct group_record *record;
    while ((record = next_record(reader)) != NULL && is_peaks(record))
        continue;
    if (record == NULL)
        return false;
    fill_view(record, out);
    out->place = reader->at - record->bytes;
    return true;
}

bool group_reader_next_peaks(struct group_reader *reader, const struct group_peaks **out)
{
    const struct group_record *record;
    while ((record = next_record(reader)) != NULL && !is_peaks(record))
        continue;
    *out = (const void *)record;
    return record != NULL;
}

uint64_t group_table_readable_bytes(const struct group_table_header *table, uint64_t file_bytes)
{
    uint64_t used = atomic_load_explicit(&table->used_bytes, memory_order_acquire);
    if (table->offset == 0 || table->offset > file_bytes || used > GROUP_TABLE_BYTES ||
        used > table->room_bytes || used > file_bytes - table->offset)
        return 0;
    return used / sizeof(uint64_t) * sizeof(uint64_t);
}
