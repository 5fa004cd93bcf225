/* Times of a profile as whole numbers, so that differences add up exactly. Pure. */
#ifndef PROFD_PROFCTL_TIME_NS_H
#define PROFD_PROFCTL_TIME_NS_H

#include <math.h>
#include <stdint.h>

#include "common/time_units.h"

/* Converts MS to ns; 0 if MS is not a plausible time, since files may contain anything. */
static inline int64_t time_ns_of_ms(double ms)
{
    return fabs(ms) < 9e12 ? (int64_t)(ms * NS_PER_MS + copysign(0.5, ms)) : 0;
}

#endif
