/* Numbers as people read them; common/units.h has them as people write them. Pure. */
#ifndef PROFD_PROFCTL_UNITS_H
#define PROFD_PROFCTL_UNITS_H

#include <stdint.h>

#include "common/units.h"

enum { UNITS_TEXT_BYTES = 32 };

/* "999 B", "1.5 KB", "64.0 MB" into OUT, which is returned. */
const char *units_format_size(uint64_t bytes, char out[UNITS_TEXT_BYTES]);

/* 1234567 as "1,234,567"; into OUT, which is returned. */
const char *units_format_count(uint64_t count, char out[UNITS_TEXT_BYTES]);

#endif
