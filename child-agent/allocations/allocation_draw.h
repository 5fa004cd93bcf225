/* Decides at random which allocations are sampled: a Poisson process over the bytes that a thread
 * allocates.
 *
 * Each byte is hit with the same small probability. So an allocation of SIZE bytes is sampled with
 * probability 1 - exp(-SIZE / INTERVAL) and counts as SIZE divided by that probability. The sum
 * over the samples is on average what was really allocated, whatever the sizes are. Pure; uses no
 * memory and no library. */
#ifndef PROFD_AGENT_ALLOCATION_DRAW_H
#define PROFD_AGENT_ALLOCATION_DRAW_H

#include <stdint.h>

/* Returns the number of bytes up to the next one that is hit: exponentially distributed with
 * mean INTERVAL_BYTES, at least 1. *RANDOM is the state of the generator; it may start with any
 * number. */
int64_t allocation_draw_distance(uint64_t *random, uint64_t interval_bytes);

/* Returns how many bytes a sampled allocation of BYTES stands for. */
int64_t allocation_weight(uint64_t bytes, uint64_t interval_bytes);

#endif
