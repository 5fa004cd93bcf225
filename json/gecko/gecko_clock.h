/* The wall clock's view of a capture's time zero.
 *
 * The loader shifts a sub-process by the difference between its startTime and the root's, so
 * whoever captures asks once, and gives the answer to all processes of the file. */
#ifndef PROFD_JSON_GECKO_CLOCK_H
#define PROFD_JSON_GECKO_CLOCK_H

#include <stdint.h>

/* MONOTONIC_NS of CLOCK_MONOTONIC as nanoseconds since the epoch, by what both clocks say now. */
uint64_t gecko_clock_unix_ns(uint64_t monotonic_ns);

#endif
