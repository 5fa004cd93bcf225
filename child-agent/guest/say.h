/* The few words that the agent has for the user of the program: what was asked for by environment
 * and cannot be done. */
#ifndef PROFD_AGENT_SAY_H
#define PROFD_AGENT_SAY_H

/* Remembers what standard error is now. From the constructor: later the program may have closed it,
 * and its number may be a file of data. */
void say_prepare(void);

/* Writes one line, "profd: …", to standard error, while it still is what it was. Any thread. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
