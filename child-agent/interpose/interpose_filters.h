/* Reacts to what the program is about to forbid itself. */
#ifndef PROFD_AGENT_INTERPOSE_FILTERS_H
#define PROFD_AGENT_INTERPOSE_FILTERS_H

/* Called before the program's call of prctl(OPTION, FIRST, SECOND, …), however it is made. */
void interpose_filters_before_prctl(int option, unsigned long first, unsigned long second);

/* Called before the program's call of seccomp(OPERATION, FLAGS, FILTER). A call without a filter,
 * or for the strict mode with flags, only asks the kernel what it supports and sets nothing. */
void interpose_filters_before_seccomp(unsigned operation, unsigned long flags,
                                      unsigned long filter);

#endif
