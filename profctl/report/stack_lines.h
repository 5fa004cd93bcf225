/* Lines for people about samples whose stacks lack something that the kernel refused, and what to
 * do about it; of reports and status. */
#ifndef PROFD_PROFCTL_STACK_LINES_H
#define PROFD_PROFCTL_STACK_LINES_H

#include <stdio.h>

#include "profctl/profile/process_log.h"

/* TITLE and how many samples of each kind REFUSED counts, a line for each; nothing for a kind of
 * which there are none. */
void stack_lines_print(const char *title, const struct stack_refusals *refused, FILE *out);

#endif
