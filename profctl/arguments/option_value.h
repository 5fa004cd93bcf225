/* Values of options: from text to what struct arguments has of it. */
#ifndef PROFD_PROFCTL_OPTION_VALUE_H
#define PROFD_PROFCTL_OPTION_VALUE_H

#include <stdbool.h>

#include "common/option_table.h"
#include "profctl/arguments/arguments.h"

/* Sets what OPTION, of option_list.h, is about: a flag to true, when TEXT is NULL, or to what TEXT
 * says, which must outlive ARGUMENTS. False with a usage error in FAILURE. Pure. */
bool option_value_set(struct arguments *arguments, const struct option_row *option,
                      const char *text, struct failure *failure);

#endif
