/* Times of a query as people write them. Pure. */
#ifndef PROFD_PROFCTL_QUERY_TIME_H
#define PROFD_PROFCTL_QUERY_TIME_H

#include <stdint.h>

/* "-1h", "-90m" or "now" count from NOW_S; "2026-01-31", "2026-01-31 14:00" and "2026-01-31
 * 14:00:30" (or with T between) are UTC. In seconds since 1970, below 2106. Returns 0, -EINVAL, or
 * -ERANGE. */
int query_time_parse(const char *text, uint32_t now_s, uint32_t *time_s);

/* The whole hours within FROM_S … TO_S: *FIRST_S up to *LAST_S, which are the same when there are
 * none. */
void query_time_whole_hours(uint32_t from_s, uint32_t to_s, uint32_t *first_s, uint32_t *last_s);

#endif
