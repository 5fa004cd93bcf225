/* Process ids in captures: numbers, or strings that contain numbers, as other profilers write them.
 * Pure. */
#ifndef PROFD_PROFCTL_MERGE_PID_H
#define PROFD_PROFCTL_MERGE_PID_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json_reader.h"

/* Reads the id from READER's TOKEN. Returns false, without side effects, if it is not an id. */
bool merge_pid_read(struct json_reader *reader, int token, int64_t *pid);

/* Parses an id from a text, such as a key of a log. Returns false if it is not an id. */
bool merge_pid_parse(const char *text, int64_t *pid);

#endif
