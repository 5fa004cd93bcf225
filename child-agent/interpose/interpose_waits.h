/* What the interposed waits may do. */
#ifndef PROFD_AGENT_INTERPOSE_WAITS_H
#define PROFD_AGENT_INTERPOSE_WAITS_H

/* From now on each wait is the one call that the program makes: a filter of system calls is about
 * to be put in place, which may forbid the others. What children used is not told any more. Any
 * thread.
 */
void interpose_waits_plainly(void);

#endif
