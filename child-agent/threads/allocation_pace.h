/* How far apart a thread's sampled allocations are: the faster they come, the more bytes lie
 * between two, so that a thread that does nothing but allocate is not held up.
 *
 * Each sample stands for as many bytes as its own interval says, so sums stay right. Pure. */
#ifndef PROFD_AGENT_ALLOCATION_PACE_H
#define PROFD_AGENT_ALLOCATION_PACE_H

#include <stdint.h>

enum {
    ALLOCATION_PACE_TURN = 32, /* samples that come too fast until the interval is doubled */
    /* Of the interval that was asked for: as far as it goes, a thread that is slow again is seen
     * coarsely until its next sample. */
    ALLOCATION_PACE_MOST_DOUBLINGS = 4,
};

/* The least time between two samples, on average, that leaves the interval as it is. */
#define ALLOCATION_PACE_LEAST_NS UINT64_C(200000)

/* After a rest of so long between two samples half the interval is enough, whatever chance does. */
#define ALLOCATION_PACE_CALM_NS (8 * ALLOCATION_PACE_LEAST_NS)

/* How fast a thread's samples come. */
struct allocation_pace {
    uint64_t sampled_ns; /* when the last one was taken; 0: not known */
    uint64_t turned_ns;  /* when the pace was last judged … */
    uint8_t samples;     /* … and how many there were since */
    uint8_t doublings;   /* of the interval between two samples */
};

/* Returns the interval that PACE (zeroed: a new thread's) makes of INTERVAL_BYTES. */
uint64_t allocation_pace_interval(const struct allocation_pace *pace, uint64_t interval_bytes);

/* A sample was taken at NOW_NS of the monotonic clock: adapts PACE for the next one. 0: the time
 * cannot be read now, and the interval stays as it is. */
void allocation_pace_note(struct allocation_pace *pace, uint64_t now_ns);

#endif
