/* The agent as a whole: brought up once in a process. */
#ifndef PROFD_AGENT_AGENT_H
#define PROFD_AGENT_AGENT_H

/* Brings everything up as the environment says. Called by the constructor; later calls do nothing.
 */
void agent_initialize(int argument_count, char **arguments);

/* The process exits. What the last tick found is kept, else a process shorter than an interval
 * would leave no sample, and the profile is written that the environment asks for. */
void agent_finish(void);

#endif
