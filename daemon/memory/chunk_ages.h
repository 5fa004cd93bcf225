/* The chunks of one source of memory in the order of their age: a queue that grows.
 *
 * Pure; whoever has one owns it. See daemon/memory/memory_controller.h. */
#ifndef PROFD_DAEMON_CHUNK_AGES_H
#define PROFD_DAEMON_CHUNK_AGES_H

#include <stdint.h>

struct chunk_age {
    uint64_t done_ns; /* CLOCK_MONOTONIC: when it became full */
    uint32_t bytes;   /* of memory that go with it */
    uint32_t slot;    /* what the source calls it */
};

struct chunk_ages {
    struct chunk_age *items; /* owned; a ring */
    uint32_t first, count;
    uint32_t capacity; /* a power of two, or 0 */
};

/* Number POSITION (below the count) from the oldest on. */
static inline struct chunk_age *chunk_ages_at(const struct chunk_ages *ages, uint32_t position)
{
    return &ages->items[(ages->first + position) & (ages->capacity - 1)];
}

/* Adds the newest; the oldest. 0 or -ENOMEM. */
int chunk_ages_push_back(struct chunk_ages *ages, struct chunk_age age);
int chunk_ages_push_front(struct chunk_ages *ages, struct chunk_age age);

/* Adds AGE where its time belongs; takes time with the number of newer ones. 0 or -ENOMEM. */
int chunk_ages_insert(struct chunk_ages *ages, struct chunk_age age);

/* Takes the oldest out; there is one. */
struct chunk_age chunk_ages_pop_front(struct chunk_ages *ages);

/* Empty again, without memory. */
void chunk_ages_free(struct chunk_ages *ages);

#endif
