/* What the memory controller knows of one child or exit profile, and lists of these. Pure. */
#ifndef PROFD_DAEMON_MEMORY_SOURCE_H
#define PROFD_DAEMON_MEMORY_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/memory/chunk_ages.h"

enum memory_source_kind { MEMORY_OF_CHILD, MEMORY_OF_EXIT };

/* Part of a child or of an exit record, which owns it; only the controller uses the fields. */
struct memory_source {
    void *owner;
    enum memory_source_kind kind;
    uint32_t heap_position;
    bool is_added;
    bool is_held;    /* a capture is reading it: no chunk is dropped */
    bool is_final;   /* its child sends no more updates */
    bool is_stalled; /* a child that did not obey in time */
    uint64_t cap_bytes;
    uint64_t bytes; /* that it counts for */
    struct chunk_ages chunks;
    uint32_t ordered; /* number of chunks, from the oldest on, that were ordered to go */
    uint64_t ordered_bytes;
    uint64_t deadline_ns;
    struct memory_source_list *list; /* that it is in; NULL: none */
    struct memory_source *previous, *next;
};

struct memory_source_list {
    struct memory_source *first, *last;
};

/* Removes SOURCE from the list that it is in, if any, and appends it to LIST. */
void memory_source_join(struct memory_source_list *list, struct memory_source *source);

/* Removes SOURCE from its list, if it is in one. */
void memory_source_leave(struct memory_source *source);

#endif
