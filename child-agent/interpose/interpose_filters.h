/* What the program is about to forbid itself. */
#ifndef PROFD_AGENT_INTERPOSE_FILTERS_H
#define PROFD_AGENT_INTERPOSE_FILTERS_H

/* Before the program's call prctl(OPTION, FIRST, SECOND, …), however it is made. */
void interpose_filters_before_prctl(int option, unsigned long first, unsigned long second);

/* Before its call seccomp(OPERATION, FLAGS, FILTER). Who calls without a filter, or for the strict
 * mode with flags, asks the kernel whether it knows such: nothing is set. */
void interpose_filters_before_seccomp(unsigned operation, unsigned long flags,
                                      unsigned long filter);

#endif
