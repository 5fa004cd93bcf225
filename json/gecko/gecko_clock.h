/* The wall-clock time of a capture's time zero.
 *
 * The loader shifts a sub-process by the difference between its startTime and the root's, so a
 * capture asks once, and uses the answer for all processes of the file. */
#ifndef PROFD_JSON_GECKO_CLOCK_H
#define PROFD_JSON_GECKO_CLOCK_H

#include <stdint.h>

/* Converts MONOTONIC_NS on CLOCK_MONOTONIC to nanoseconds since the epoch, by the current readings
 * of both clocks. */
uint64_t gecko_clock_unix_ns(uint64_t monotonic_ns);

#endif
