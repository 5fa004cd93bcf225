/* Functions, locations and mappings of pprof for the frames of an export, of which nobody knows
 * lines or addresses any more. One thread. */
#ifndef PROFD_PROFCTL_PUSH_PLACES_H
#define PROFD_PROFCTL_PUSH_PLACES_H

#include "profctl/convert/pprof_writer.h"

/* Writes those of all KEYS (stack_path.h), each a function at one place, and then the table of
 * strings. Returns 0, -ENOMEM, or the sink's error. */
int push_places_write(struct pprof_writer *writer, const struct unique_strings *keys);

#endif
