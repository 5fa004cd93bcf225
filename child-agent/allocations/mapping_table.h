/* The address ranges that the program has mapped, sorted, and merged where they touch.
 *
 * What is mapped over or partly unmapped is cut out, so no byte is counted or removed twice. The
 * table is limited to the number of mappings that the kernel allows a process by default. Zeroed
 * memory is an empty table; it costs memory only as far as it is filled. Not thread-safe:
 * child-agent/allocations/mappings.c has the lock. */
#ifndef PROFD_AGENT_MAPPING_TABLE_H
#define PROFD_AGENT_MAPPING_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAPPING_TABLE_MOST = 65536 };

/* The bytes from START up to, but not including, END. */
struct mapped_range {
    uint64_t start, end;
};

struct mapping_table {
    size_t count;
    struct mapped_range ranges[MAPPING_TABLE_MOST];
};

/* Inserts START to END, no part of which may be in the table. Returns false if there is no room. */
bool mapping_table_put(struct mapping_table *table, uint64_t start, uint64_t end);

/* Removes whatever is in the table from START to END and returns how many bytes that was. If a
 * range would be split in a full table, its upper part is removed as well and counted. */
uint64_t mapping_table_take(struct mapping_table *table, uint64_t start, uint64_t end);

/* Returns whether the byte at ADDRESS is in the table. */
bool mapping_table_has(const struct mapping_table *table, uint64_t address);

#endif
