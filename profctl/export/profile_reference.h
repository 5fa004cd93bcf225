/* Finds where the time line of a capture begins. The capture stores that in its root, after all
 * processes. */
#ifndef PROFD_PROFCTL_PROFILE_REFERENCE_H
#define PROFD_PROFCTL_PROFILE_REFERENCE_H

#include <stdint.h>

#include "json/json_reader.h"

/* Reads all of READER to find *REFERENCE_NS (CLOCK_MONOTONIC). Returns 0, -EPROTO if the capture
 * does not have it, or the reader's error. */
int profile_reference_read(struct json_reader *reader, int64_t *reference_ns);

#endif
