/* Converts values of options from text to members of struct arguments. */
#ifndef PROFD_PROFCTL_OPTION_VALUE_H
#define PROFD_PROFCTL_OPTION_VALUE_H

#include <stdbool.h>

#include "common/option_table.h"
#include "profctl/arguments/arguments.h"

/* Sets the member of ARGUMENTS that OPTION (option_list.h) stands for: a flag to true if TEXT is
 * NULL, else to the value of TEXT, which must outlive ARGUMENTS. Returns false with a usage error
 * in FAILURE. Pure. */
bool option_value_set(struct arguments *arguments, const struct option_row *option,
                      const char *text, struct failure *failure);

#endif
