/* The sources of memory, ordered by the age of their oldest chunk: a binary heap whose members know
 * their positions, so that one can change or leave in O(log n). Pure. Used by
 * daemon/memory/memory_controller.c. */
#ifndef PROFD_DAEMON_AGE_HEAP_H
#define PROFD_DAEMON_AGE_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct memory_source;

#define AGE_HEAP_NOWHERE UINT32_MAX

struct age_heap {
    /* The time is kept beside the pointer, so that comparing does not touch the source. */
    struct age_heap_entry {
        uint64_t done_ns;
        struct memory_source *source;
    } * entries; /* owned */
    size_t count, capacity;
};

/* Makes room for COUNT members, so that age_heap_put() cannot fail for that many. Returns 0 or
 * -ENOMEM. */
int age_heap_reserve(struct age_heap *heap, size_t count);
void age_heap_free(struct age_heap *heap);

/* Adds SOURCE, or moves it if it is already in, by DONE_NS, the time at which its oldest chunk was
 * done. Keeps its heap_position up to date. */
void age_heap_put(struct age_heap *heap, struct memory_source *source, uint64_t done_ns);

/* Removes SOURCE, if it is in. */
void age_heap_take_out(struct age_heap *heap, struct memory_source *source);

/* The source with the oldest chunk, or NULL. */
static inline struct memory_source *age_heap_oldest(const struct age_heap *heap)
{
    return heap->count > 0 ? heap->entries[0].source : NULL;
}

#endif
