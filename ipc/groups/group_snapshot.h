/* A snapshot of the performance groups of all processes, which profd writes to the file that a
 * client passes with MESSAGE_CLIENT_GROUPS.
 *
 *     head │ process │ its name │ its table (buffer/group_table.h) │ process │ …
 *
 * The tables are as the processes wrote them: profd has not checked them, so readers must
 * (buffer/group_reader.h). The layout is specific to this machine and version; it is not a file
 * format. */
#ifndef PROFD_IPC_GROUP_SNAPSHOT_H
#define PROFD_IPC_GROUP_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GROUP_SNAPSHOT_MAGIC UINT64_C(0x31534750524f5250)

struct group_snapshot_head {
    uint64_t magic;
    uint64_t now_ns;     /* CLOCK_MONOTONIC */
    uint64_t processes;  /* that follow */
    uint64_t forgotten;  /* that have ended, without anything kept */
    uint64_t unmeasured; /* in which nothing was measured */
    uint64_t processors; /* of the machine */
};

struct group_snapshot_process {
    uint64_t bytes; /* of this, the name and the table; a multiple of 8 */
    uint64_t start_ns;
    uint64_t end_ns;   /* 0: it is alive */
    uint64_t since_ns; /* when monitoring began there */
    uint64_t folded, cancelled, moved;
    uint64_t table_bytes;
    int32_t pid;
    uint32_t verdict;    /* enum process_verdict */
    int32_t code;        /* exit status or signal */
    uint32_t name_bytes; /* rounded up to 8 in the file */
};

/* Walks over a snapshot in memory, which is aligned to 8. Zeroed except for memory and bytes. */
struct group_snapshot_reader {
    const uint8_t *memory;
    size_t bytes;
    size_t at;
};

/* The data of one process; pointers into the memory. */
struct group_snapshot_view {
    const struct group_snapshot_process *process;
    const char *name; /* not terminated */
    const uint8_t *table;
};

/* Reads the head. Returns false if it is not a snapshot. */
bool group_snapshot_open(struct group_snapshot_reader *reader, struct group_snapshot_head *head);

/* Reads the next process. Returns false at the end, or if what follows is not a process. */
bool group_snapshot_next(struct group_snapshot_reader *reader, struct group_snapshot_view *out);

/* The bytes that a name of LENGTH bytes takes in the file. */
static inline size_t group_snapshot_name_room(size_t length)
{
    return (length + 7) / 8 * 8;
}

#endif
