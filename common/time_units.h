/* Conversions between units of time. These are plain numbers of type int: a product of two of them,
 * or of one and a number of seconds, needs a cast to 64 bits. */
#ifndef PROFD_COMMON_TIME_UNITS_H
#define PROFD_COMMON_TIME_UNITS_H

enum {
    NS_PER_US = 1000,
    NS_PER_MS = 1000000,
    NS_PER_S = 1000000000,
    US_PER_MS = 1000,
    MS_PER_S = 1000,
};

#endif
