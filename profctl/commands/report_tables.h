/* report --by: one flat table of a profile. One thread. */
#ifndef PROFD_PROFCTL_REPORT_TABLES_H
#define PROFD_PROFCTL_REPORT_TABLES_H

#include "profctl/arguments/arguments.h"
#include "profctl/failure.h"
#include "profctl/profile/profile_input.h"
#include "profctl/report/report_by.h"

/* Reads INPUT and prints its table BY, which must not be REPORT_BY_NOTHING. Returns the exit code,
 * with FAILURE filled if it failed. */
int report_table(struct profile_input *input, enum report_by by, const struct arguments *arguments,
                 struct failure *failure);

#endif
