/* A raw capture as the input of a command: JSON with names, as a capture has it. One thread. */
#ifndef PROFD_PROFCTL_RAW_INPUT_H
#define PROFD_PROFCTL_RAW_INPUT_H

#include <stdbool.h>

#include "profctl/failure.h"
#include "profctl/naming/capture_naming.h"

/* Makes the JSON of the raw capture in FD, which PATH is the name of, names its functions, and
 * writes it to SINK. Processes that cannot be read are told and left out. Returns false with
 * FAILURE filled. */
bool raw_input_write(int fd, const char *path, const struct capture_sink *sink,
                     struct capture_counts *counts, struct failure *failure);

/* The same into a file without a name, which goes away with its descriptor: *OUT, at its beginning.
 */
bool raw_input_open(int fd, const char *path, int *out, struct failure *failure);

#endif
