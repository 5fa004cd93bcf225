/* Adds records to the table of performance groups. Used in the process that has the arena.
 *
 * The writer knows nothing of a record but its identity. The readers' side is
 * buffer/group_reader.h. */
#ifndef PROFD_BUFFER_GROUP_TABLE_WRITER_H
#define PROFD_BUFFER_GROUP_TABLE_WRITER_H

#include <stdint.h>

#include "buffer/arena.h"
#include "buffer/group_table.h"

/* The identity of a group. Texts longer than GROUP_TEXT_MAX_BYTES are cut. */
struct group_identity {
    const char *kind, *name;
    uint32_t flags;
    int32_t thread;
    uint64_t id;
};

/* Adds a record, which is zero except for its identity. One thread at a time. Returns 0 with *OUT,
 * or -ENOSPC if there is no room or no memory within the limit. */
int group_table_add(struct arena *arena, const struct group_identity *identity,
                    struct group_record **out);

/* group_table_take() reserves a zeroed record of BYTES, a multiple of 8, at the end of the table.
 * Readers see it after group_table_publish(). One thread at a time. Returns 0 with *OUT, or an
 * error as group_table_add(). */
int group_table_take(struct arena *arena, uint64_t bytes, void **out);
void group_table_publish(struct arena *arena, uint64_t bytes);

#endif
