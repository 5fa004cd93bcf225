/* Snapshots of groups in processes, and the rows that are read from one. */
#ifndef TESTS_UNIT_GROUP_ROWS_SCENE_H
#define TESTS_UNIT_GROUP_ROWS_SCENE_H

#include <check.h>
#include <string.h>

#include "buffer/arena.h"
#include "buffer/group_table_writer.h"

enum { MS = 1000000, SNAPSHOT_BYTES = 64 * 1024, LIFE_NS = 1000 * MS };

static struct arena arena;
static _Alignas(uint64_t) uint8_t snapshot[SNAPSHOT_BYTES];
static size_t used;

static void set_up(void)
{
    const struct arena_room room = { CHUNK_BYTES, ARENA_DICTIONARY_BYTES, GROUP_TABLE_BYTES };
    clock_initialize();
    ck_assert_int_eq(arena_create_leased(&room, NULL, LEASE_OWNER_NOBODY, &arena), 0);
}

static void tear_down(void)
{
    arena_destroy(&arena);
}

static struct group_record *add_group(const char *kind, const char *name, uint32_t flags,
                                      int32_t thread)
{
    const struct group_identity identity = { kind, name, flags, thread, 0 };
    struct group_record *record;
    ck_assert_int_eq(group_table_add(&arena, &identity, &record), 0);
    return record;
}

static void commit_time(struct group_record *record, uint64_t cpu_ms)
{
    group_record_commit(record, &(struct group_costs){ cpu_ms * MS, cpu_ms * MS, 0, 0 });
}

static void begin_snapshot(uint8_t *out, uint64_t now_ns)
{
    const struct group_snapshot_head head = { .magic = GROUP_SNAPSHOT_MAGIC,
                                              .now_ns = now_ns,
                                              .processors = 4 };
    memcpy(out, &head, sizeof(head));
    used = sizeof(head);
}

/* The arena's groups as those of process PID. */
static void put_process(uint8_t *out, int32_t pid, uint64_t start_ns, const char *name)
{
    const struct group_table_header *table = &arena.header->groups;
    size_t name_room = group_snapshot_name_room(strlen(name));
    struct group_snapshot_process process = {
        .start_ns = start_ns,
        .table_bytes = atomic_load(&table->used_bytes),
        .pid = pid,
        .name_bytes = (uint32_t)strlen(name),
        .cancelled = 1,
    };
    process.bytes = sizeof(process) + name_room + process.table_bytes;
    memcpy(out + used, &process, sizeof(process));
    memcpy(out + used + sizeof(process), name, strlen(name));
    memcpy(out + used + sizeof(process) + name_room, (const uint8_t *)arena.header + table->offset,
           process.table_bytes);
    used += process.bytes;
}

static struct group_rows read_rows(const uint8_t *memory)
{
    struct group_rows rows;
    ck_assert_int_eq(group_rows_read(memory, used, &rows), 0);
    return rows;
}

static inline bool is_called(const struct group_row *row, const char *name)
{
    return row->group.name_bytes == strlen(name) &&
           memcmp(row->group.name, name, strlen(name)) == 0;
}

#endif
