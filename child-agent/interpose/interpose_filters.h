/* What the program is about to forbid itself. */
#ifndef PROFD_AGENT_INTERPOSE_FILTERS_H
#define PROFD_AGENT_INTERPOSE_FILTERS_H

/* Before the program's call prctl(OPTION, ARGUMENT, …), however it is made. */
void interpose_filters_before_prctl(int option, unsigned long argument);

/* Before its call seccomp(OPERATION, …). */
void interpose_filters_before_seccomp(unsigned operation);

#endif
