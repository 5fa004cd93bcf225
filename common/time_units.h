/* Units of time in one another. Plain numbers, which take the type of what they meet: a product of
 * two of them, or of one and a count of seconds, needs 64 bits. */
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
