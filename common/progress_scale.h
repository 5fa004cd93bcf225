/* The scale of proportions, in progress reports and in messages. */
#ifndef PROFD_COMMON_PROGRESS_SCALE_H
#define PROFD_COMMON_PROGRESS_SCALE_H

#include <stdint.h>

/* The whole. Divisible by every number up to 16, and by 100 and 1000, so that common parts are
 * exact. */
#define PROGRESS_SCALE UINT32_C(1729728000)

#endif
