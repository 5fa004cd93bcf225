/* How far apart a thread's sampled allocations are: the more of them there are in a second, the
 * more bytes lie between two, so that a thread that does nothing but allocate is not held up.
 *
 * Each sample stands for as many bytes as its own interval says, so sums stay right. Pure. */
#ifndef PROFD_AGENT_ALLOCATION_PACE_H
#define PROFD_AGENT_ALLOCATION_PACE_H

#include <stdint.h>

#include "child-agent/malloc_hooks/allocation_hooks.h"

enum {
    ALLOCATION_PACE_TURN = 32,          /* samples between two looks at the time */
    ALLOCATION_PACE_MOST_DOUBLINGS = 8, /* of the interval that was asked for */
};

/* The least time between two samples, on average, that leaves the interval as it is. */
#define ALLOCATION_PACE_LEAST_NS UINT64_C(200000)

/* Returns the interval that PACE (zeroed: a new thread's) makes of INTERVAL_BYTES. */
uint64_t allocation_pace_interval(const struct allocation_pace *pace, uint64_t interval_bytes);

/* Counts a sample. Returns whether a turn is over, so that allocation_pace_end_turn() is due. */
bool allocation_pace_count(struct allocation_pace *pace);

/* A turn is over at NOW_NS of the monotonic clock: adapts PACE to how long it took. 0: the time
 * cannot be read now, and PACE stays as it is. */
void allocation_pace_end_turn(struct allocation_pace *pace, uint64_t now_ns);

#endif
