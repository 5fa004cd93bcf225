/* report --diff: what has changed from one profile to another. One thread. */
#ifndef PROFD_PROFCTL_REPORT_CHANGES_H
#define PROFD_PROFCTL_REPORT_CHANGES_H

#include "profctl/arguments/arguments.h"
#include "profctl/failure.h"

/* Compares the profile that ARGUMENTS name with that of --diff. Returns the exit code, with FAILURE
 * filled if it failed. */
int report_changes(const struct arguments *arguments, struct failure *failure);

#endif
