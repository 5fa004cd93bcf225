/* Where the time line of a capture begins. That stands in its root, behind all processes. */
#ifndef PROFD_PROFCTL_PROFILE_REFERENCE_H
#define PROFD_PROFCTL_PROFILE_REFERENCE_H

#include <stdint.h>

#include "json/json_reader.h"

/* Reads all of READER for *REFERENCE_NS, of CLOCK_MONOTONIC. 0, -EPROTO when the capture does not
 * tell, or the reader's error. */
int profile_reference_read(struct json_reader *reader, int64_t *reference_ns);

#endif
