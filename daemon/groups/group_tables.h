/* The processes' tables of performance groups (buffer/group_table.h), as parts of a snapshot
 * (ipc/groups/group_snapshot.h): copied from arenas, and kept for processes that have ended.
 *
 * They are copied as they are and not trusted. One thread at a time. */
#ifndef PROFD_DAEMON_GROUP_TABLES_H
#define PROFD_DAEMON_GROUP_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/groups/group_snapshot.h"

/* One process' part of a snapshot, ready to be written. */
struct group_part {
    struct group_part *next;
    int pidfd; /* owned: to learn how it ended, if it is not reaped yet; -1: nothing to learn */
    struct group_snapshot_process process; /* its name and table follow */
    uint8_t rest[];
};

/* The process that a table belongs to; borrowed. */
struct group_owner {
    const char *name;
    int32_t pid;
    uint64_t start_ns, end_ns;
    uint32_t verdict;
    int32_t code;
};

/* Copies the table in the arena ARENA_FD. Returns 0 with *OUT, to be freed with free(), which is
 * NULL if nothing was ever measured; -ENOMEM, or the negative errno of pread. */
int group_part_read(int arena_fd, const struct group_owner *owner, struct group_part **out);

/* The parts of processes that have ended, latest first. If they exceed the given number of bytes,
 * the oldest are forgotten and counted. A zeroed one is empty. */
struct group_book {
    struct group_part *latest;
    uint64_t bytes;
    uint64_t forgotten;
};

enum {
    GROUP_BOOK_MOST_BYTES = 16 * 1024 * 1024,
    GROUP_BOOK_MOST_DESCRIPTORS = 256, /* the latest ones */
};

/* Takes PART over; one larger than half of MOST_BYTES is forgotten at once. */
void group_book_add(struct group_book *book, struct group_part *part, uint64_t most_bytes);

/* Learns how those processes ended that have been reaped in the meantime. */
void group_book_learn_ends(struct group_book *book);

/* Forgets all without counting them. Safe to repeat. */
void group_book_clear(struct group_book *book);

#endif
