/* Two profiles that the user has compared: --diff of report, convert and view. One thread. */
#ifndef PROFD_PROFCTL_COMPARED_PROFILES_H
#define PROFD_PROFCTL_COMPARED_PROFILES_H

#include "profctl/arguments/arguments.h"
#include "profctl/convert/profile_comparison.h"
#include "profctl/failure.h"
#include "profctl/report/report_diff.h"

/* False, with FAILURE filled, when ARGUMENTS say how to compare, and not with what. */
bool compared_profiles_check(const struct arguments *arguments, struct failure *failure);

/* What the two are called to people: BEFORE of --diff, and the operand. */
void compared_profiles_name(const struct arguments *arguments, const char *names[DIFF_SIDES]);

/* Reads both as ARGUMENTS say, and compares them. Returns the exit code, after filling FAILURE when
 * it has failed; OUT needs report_diff_free() either way. */
int compared_profiles_read(const struct arguments *arguments, struct report_diff *out,
                           struct failure *failure);

/* DIFF, borrowed, as those who convert a profile see it. */
struct profile_comparison compared_profiles_view(const struct arguments *arguments,
                                                 const struct report_diff *diff);

#endif
