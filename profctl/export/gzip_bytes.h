/* Compresses bytes in memory, at a fast level. Pure. */
#ifndef PROFD_PROFCTL_GZIP_BYTES_H
#define PROFD_PROFCTL_GZIP_BYTES_H

#include <stddef.h>

#include "json/mapped_array.h"

/* Sets OUT (char) to BYTES, gzipped. Returns 0 or -ENOMEM. */
int gzip_bytes(const void *bytes, size_t length, struct mapped_array *out);

#endif
