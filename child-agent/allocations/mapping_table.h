/* The ranges of addresses that the program has mapped, in order and merged where they touch.
 *
 * What is mapped over or unmapped in part is cut out of them, so bytes are never counted twice, nor
 * ended twice. Bounded, by what the kernel lets a process have unless it was told otherwise. Zeroed
 * memory is an empty table; it costs memory only as far as it is filled. Not safe for threads:
 * child-agent/allocations/mappings.c has the lock. */
#ifndef PROFD_AGENT_MAPPING_TABLE_H
#define PROFD_AGENT_MAPPING_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAPPING_TABLE_MOST = 65536 };

/* Bytes from START to before END. */
struct mapped_range {
    uint64_t start, end;
};

struct mapping_table {
    size_t count;
    struct mapped_range ranges[MAPPING_TABLE_MOST];
};

/* Puts START to END in, none of which may be there. False when there is no room. */
bool mapping_table_put(struct mapping_table *table, uint64_t start, uint64_t end);

/* Takes out what there is from START to END; how many bytes that was. In a full table, a range that
 * would become two loses the upper one, which is counted as taken. */
uint64_t mapping_table_take(struct mapping_table *table, uint64_t start, uint64_t end);

/* Whether the byte at ADDRESS is there. */
bool mapping_table_has(const struct mapping_table *table, uint64_t address);

#endif
