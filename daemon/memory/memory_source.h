/* What the memory controller knows of one child or exit profile, and lists of such. Pure. */
#ifndef PROFD_DAEMON_MEMORY_SOURCE_H
#define PROFD_DAEMON_MEMORY_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/memory/chunk_ages.h"

enum memory_source_kind { MEMORY_OF_CHILD, MEMORY_OF_EXIT };

/* Part of a child or of an exit record, which own it; fields are the controller's. */
struct memory_source {
    void *owner;
    enum memory_source_kind kind;
    uint32_t heap_position;
    bool is_added;
    bool is_held;    /* a capture reads it: nothing of it goes */
    bool is_final;   /* its child said that no more updates come */
    bool is_stalled; /* a child that did not do what it was told */
    uint64_t cap_bytes;
    uint64_t bytes; /* that it counts for */
    struct chunk_ages chunks;
    uint32_t ordered; /* so many chunks, from the oldest on, were told to go */
    uint64_t ordered_bytes;
    uint64_t deadline_ns;
    struct memory_source_list *list; /* that it is in; NULL: none */
    struct memory_source *previous, *next;
};

struct memory_source_list {
    struct memory_source *first, *last;
};

/* Puts SOURCE at the end of LIST, and takes it out of the one that it is in. */
void memory_source_join(struct memory_source_list *list, struct memory_source *source);

/* Takes SOURCE out of its list, if it is in one. */
void memory_source_leave(struct memory_source *source);

#endif
