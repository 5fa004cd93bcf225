/* The few messages that the agent has for the user of the program: what the environment requests
 * but cannot be done. */
#ifndef PROFD_AGENT_SAY_H
#define PROFD_AGENT_SAY_H

/* Remembers which file standard error is. Called from the constructor: later the program may have
 * closed it, and its number may refer to a data file. */
void say_prepare(void);

/* Writes one line, "profd: …", to standard error, if that is still the same file. Any thread. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
