/* Two profiles to compare: --diff of report, convert and view. One thread. */
#ifndef PROFD_PROFCTL_COMPARED_PROFILES_H
#define PROFD_PROFCTL_COMPARED_PROFILES_H

#include "profctl/arguments/arguments.h"
#include "profctl/convert/profile_comparison.h"
#include "profctl/failure.h"
#include "profctl/report/report_diff.h"

/* Returns false with FAILURE filled if ARGUMENTS say how to compare, but not with what. */
bool compared_profiles_check(const struct arguments *arguments, struct failure *failure);

/* Returns the names of the two for output: that of --diff, and the operand. */
void compared_profiles_name(const struct arguments *arguments, const char *names[DIFF_SIDES]);

/* Reads both as ARGUMENTS say, and compares them. Returns the exit code, with FAILURE filled if it
 * failed; OUT needs report_diff_free() in any case. */
int compared_profiles_read(const struct arguments *arguments, struct report_diff *out,
                           struct failure *failure);

/* Returns a view of DIFF (borrowed) for the conversion of a profile. */
struct profile_comparison compared_profiles_view(const struct arguments *arguments,
                                                 const struct report_diff *diff);

#endif
