/* The commands of profctl. Each returns its exit code, with FAILURE filled if it failed; main
 * prints the text. */
#ifndef PROFD_PROFCTL_COMMANDS_H
#define PROFD_PROFCTL_COMMANDS_H

#include "profctl/arguments/arguments.h"
#include "profctl/failure.h"

int command_start(const struct arguments *arguments, struct failure *failure);
int command_trigger(const struct arguments *arguments, struct failure *failure);
int command_stop(const struct arguments *arguments, struct failure *failure);
int command_pause(const struct arguments *arguments, struct failure *failure);
int command_resume(const struct arguments *arguments, struct failure *failure);
int command_status(const struct arguments *arguments, struct failure *failure);
int command_top(const struct arguments *arguments, struct failure *failure);
int command_groups(const struct arguments *arguments, struct failure *failure);
int command_capture(const struct arguments *arguments, struct failure *failure);
int command_run(const struct arguments *arguments, struct failure *failure);
int command_report(const struct arguments *arguments, struct failure *failure);
int command_convert(const struct arguments *arguments, struct failure *failure);
int command_merge(const struct arguments *arguments, struct failure *failure);
int command_view(const struct arguments *arguments, struct failure *failure);
int command_export(const struct arguments *arguments, struct failure *failure);
int command_query(const struct arguments *arguments, struct failure *failure);
int command_symbolicate(const struct arguments *arguments, struct failure *failure);

#endif
