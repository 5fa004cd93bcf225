/* What the interposed waits may do. */
#ifndef PROFD_AGENT_INTERPOSE_WAITS_H
#define PROFD_AGENT_INTERPOSE_WAITS_H

/* From now on makes each wait nothing but the call that the program makes: a filter of system
 * calls, which may forbid all others, is about to be set. The CPU use of children is no longer
 * reported. Any thread. */
void interpose_waits_plainly(void);

#endif
