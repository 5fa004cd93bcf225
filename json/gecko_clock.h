/* Times of a Gecko profile: milliseconds since the profile's start, which is a moment of the wall
 * clock.
 *
 * The loader shifts a sub-process by the difference between its startTime and the root's, so all
 * processes of a file must compute the very same one from the same reference_ns, though each does
 * it by itself. What differs between the wall clock and the monotonic one is constant until
 * somebody sets the clock; rounded to a tenth of a second, the jitter of reading both disappears
 * too. */
#ifndef PROFD_JSON_GECKO_CLOCK_H
#define PROFD_JSON_GECKO_CLOCK_H

#include <stdint.h>

/* REFERENCE_NS of CLOCK_MONOTONIC as nanoseconds since the epoch, off by 50 ms at most. */
int64_t gecko_start_time_ns(uint64_t reference_ns);

#endif
