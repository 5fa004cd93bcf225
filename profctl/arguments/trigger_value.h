/* Parses the value of --trigger. */
#ifndef PROFD_PROFCTL_TRIGGER_VALUE_H
#define PROFD_PROFCTL_TRIGGER_VALUE_H

#include <stdbool.h>

#include "profctl/arguments/arguments.h"

/* Adds the trigger in TEXT to those of ARGUMENTS. Returns false with a usage error in FAILURE.
 * Pure. */
bool trigger_value_add(struct arguments *arguments, const char *text, struct failure *failure);

#endif
