/* The agent as a whole: brought up once in a process. */
#ifndef PROFD_AGENT_AGENT_H
#define PROFD_AGENT_AGENT_H

/* Brings everything up as the environment says. Called by the constructor; later calls do nothing.
 */
void agent_initialize(int argument_count, char **arguments);

#endif
