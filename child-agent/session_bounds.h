/* Bounds of what the environment and the program itself may request for a session of one
 * process. */
#ifndef PROFD_AGENT_SESSION_BOUNDS_H
#define PROFD_AGENT_SESSION_BOUNDS_H

#include <stdint.h>

#include "common/time_units.h"

enum {
    SESSION_DEFAULT_INTERVAL_NS = NS_PER_MS,
    SESSION_SHORTEST_INTERVAL_NS = 10 * NS_PER_US,
    SESSION_DEFAULT_LIMIT_BYTES = 64 * 1024 * 1024,
    SESSION_SMALLEST_LIMIT_BYTES = 1024 * 1024,
};

#define SESSION_LONGEST_INTERVAL_NS (UINT64_C(60) * NS_PER_S)

#endif
