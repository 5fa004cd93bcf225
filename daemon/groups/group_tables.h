/* The tables of performance groups of processes (buffer/group_table.h), as parts of a snapshot
 * (ipc/groups/group_snapshot.h): taken from arenas, and kept of processes that have ended.
 *
 * They are copied as they are: nobody here believes what stands in them. Any one thread. */
#ifndef PROFD_DAEMON_GROUP_TABLES_H
#define PROFD_DAEMON_GROUP_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/groups/group_snapshot.h"

/* One process' part of a snapshot, ready to be written. */
struct group_part {
    struct group_part *next;
    int pidfd; /* owned: how a process ended that was not reaped yet; -1: nothing is to be learnt */
    struct group_snapshot_process process; /* its name and table follow */
    uint8_t rest[];
};

/* Whose table it is; borrowed. */
struct group_owner {
    const char *name;
    int32_t pid;
    uint64_t start_ns, end_ns;
    uint32_t verdict;
    int32_t code;
};

/* Copies the table of the arena behind ARENA_FD. 0 with *OUT (to be freed by free()), or NULL there
 * when nothing was ever measured; -ENOMEM, or the error of pread. */
int group_part_read(int arena_fd, const struct group_owner *owner, struct group_part **out);

/* Those of processes that have ended, the latest first. When they are more than MAX_BYTES, the
 * oldest are forgotten, and counted. Zeroed memory is an empty book. */
struct group_book {
    struct group_part *latest;
    uint64_t bytes;
    uint64_t forgotten;
};

enum {
    GROUP_BOOK_MOST_BYTES = 16 * 1024 * 1024,
    GROUP_BOOK_MOST_DESCRIPTORS = 256, /* the latest ones */
};

/* Takes PART over; one that is more than half of MAX_BYTES is forgotten at once. */
void group_book_add(struct group_book *book, struct group_part *part, uint64_t most_bytes);

/* Learns how processes ended that have been reaped meanwhile. */
void group_book_learn_ends(struct group_book *book);

/* Forgets all, uncounted. Safe to repeat. */
void group_book_clear(struct group_book *book);

#endif
