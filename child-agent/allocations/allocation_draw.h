/* Which allocations are sampled, by chance: a Poisson process over the bytes that a thread
 * allocates.
 *
 * Each byte is hit with the same small probability, so an allocation of SIZE bytes is sampled with
 * probability 1 - exp(-SIZE / INTERVAL), and counts as SIZE divided by that: the sum over the
 * samples is, on average, what was really allocated, whatever the sizes are. Pure; no memory, no
 * library. */
#ifndef PROFD_AGENT_ALLOCATION_DRAW_H
#define PROFD_AGENT_ALLOCATION_DRAW_H

#include <stdint.h>

/* Bytes up to the next one that is hit: exponentially distributed with the mean INTERVAL_BYTES, at
 * least 1. *RANDOM is the state of the generator, any number at first. */
int64_t allocation_draw_distance(uint64_t *random, uint64_t interval_bytes);

/* What a sampled allocation of BYTES stands for. */
int64_t allocation_weight(uint64_t bytes, uint64_t interval_bytes);

#endif
