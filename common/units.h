/* Parses sizes, times and rates as written by people and by the kernel. Pure. */
#ifndef PROFD_COMMON_UNITS_H
#define PROFD_COMMON_UNITS_H

#include <stdint.h>

/* "4096", "512K", "64M", "1.5G" (1024-based; an iB or B may follow). 0, -EINVAL when TEXT is no
 * size, -ERANGE when it is too large. */
int units_parse_size(const char *text, uint64_t *bytes);

/* "250us", "1ms", "1.5s", "2m"; a bare number counts DEFAULT_UNIT_NS. 0, -EINVAL, or -ERANGE. */
int units_parse_time(const char *text, uint64_t default_unit_ns, uint64_t *ns);

/* Parses samples per second, and gives the interval between two. Returns 0, -EINVAL (also for 0),
 * or -ERANGE. */
int units_parse_rate(const char *text, uint64_t *interval_ns);

/* A whole number within MINIMUM..MAXIMUM. 0, -EINVAL, or -ERANGE. */
int units_parse_count(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *count);

#endif
