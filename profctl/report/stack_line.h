/* One line for people about stacks that end early, and what to do about it; of reports and status.
 */
#ifndef PROFD_PROFCTL_STACK_LINE_H
#define PROFD_PROFCTL_STACK_LINE_H

#include <stdio.h>

/* TITLE and how many UNREADABLE stacks there were, as drops of that cause count them; nothing when
 * there are none. */
void stack_line_print(const char *title, double unreadable, FILE *out);

#endif
