/* The chunks of one source of memory in the order of their age: a growing queue.
 *
 * Pure; the holder owns it. See daemon/memory/memory_controller.h. */
#ifndef PROFD_DAEMON_CHUNK_AGES_H
#define PROFD_DAEMON_CHUNK_AGES_H

#include <stdint.h>

struct chunk_age {
    uint64_t done_ns; /* CLOCK_MONOTONIC: when it became full */
    uint32_t bytes;   /* of memory that it takes */
    uint32_t slot;    /* its number in the source */
};

struct chunk_ages {
    struct chunk_age *items; /* owned; a ring */
    uint32_t first, count;
    uint32_t capacity; /* a power of two, or 0 */
};

/* The chunk at POSITION, which is below the count; 0 is the oldest. */
static inline struct chunk_age *chunk_ages_at(const struct chunk_ages *ages, uint32_t position)
{
    return &ages->items[(ages->first + position) & (ages->capacity - 1)];
}

/* Adds AGE as the newest, or as the oldest. Returns 0 or -ENOMEM. */
int chunk_ages_push_back(struct chunk_ages *ages, struct chunk_age age);
int chunk_ages_push_front(struct chunk_ages *ages, struct chunk_age age);

/* Inserts AGE in the order of its time; takes time in proportion to the number of newer chunks.
 * Returns 0 or -ENOMEM. */
int chunk_ages_insert(struct chunk_ages *ages, struct chunk_age age);

/* Removes and returns the oldest, which must exist. */
struct chunk_age chunk_ages_pop_front(struct chunk_ages *ages);

/* Empties the queue and frees its memory. */
void chunk_ages_free(struct chunk_ages *ages);

#endif
