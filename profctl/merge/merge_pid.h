/* Process ids in captures: numbers, or texts that are numbers, as other profilers write them. Pure.
 */
#ifndef PROFD_PROFCTL_MERGE_PID_H
#define PROFD_PROFCTL_MERGE_PID_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json_reader.h"

/* The id that READER's TOKEN is. False: it is none, and nothing was done. */
bool merge_pid_read(struct json_reader *reader, int token, int64_t *pid);

/* The same of a text, as the keys of a log are. */
bool merge_pid_parse(const char *text, int64_t *pid);

#endif
