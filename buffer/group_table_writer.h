/* Records for the table of performance groups, in the process that has the arena.
 *
 * The writer does not know what a record says but its identity; who reads them is
 * buffer/group_reader.h. */
#ifndef PROFD_BUFFER_GROUP_TABLE_WRITER_H
#define PROFD_BUFFER_GROUP_TABLE_WRITER_H

#include <stdint.h>

#include "buffer/arena.h"
#include "buffer/group_table.h"

/* What a group is known by. Texts longer than GROUP_TEXT_MAX_BYTES are cut. */
struct group_identity {
    const char *kind, *name;
    uint32_t flags;
    int32_t thread;
    uint64_t id;
};

/* Adds a record, zeroed but for its identity. One thread at a time. 0 with *OUT, or -ENOSPC: there
 * is no room, or no memory to be had within the limit. */
int group_table_add(struct arena *arena, const struct group_identity *identity,
                    struct group_record **out);

/* Room for a record of BYTES, a multiple of 8, at the end of the table, zeroed; readers see it when
 * it is published. One thread at a time. 0 with *OUT, or as group_table_add(). */
int group_table_take(struct arena *arena, uint64_t bytes, void **out);
void group_table_publish(struct arena *arena, uint64_t bytes);

#endif
