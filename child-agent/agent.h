/* The agent as a whole, which is set up once per process. */
#ifndef PROFD_AGENT_AGENT_H
#define PROFD_AGENT_AGENT_H

/* Sets up the agent as the environment says. Called by the constructor; later calls do nothing. */
void agent_initialize(int argument_count, char **arguments);

/* Finishes recording when the process exits. Keeps what the last tick found, since a process that
 * is shorter than an interval would otherwise leave no sample, and writes the profile that the
 * environment asks for. */
void agent_finish(void);

#endif
