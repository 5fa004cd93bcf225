/* The original functions behind those that the agent interposes.
 *
 * Agent code calls these, never the public names, so that it does not call its own replacements.
 * They are resolved at first use, from any thread. */
#ifndef PROFD_AGENT_REAL_CALLS_H
#define PROFD_AGENT_REAL_CALLS_H

#include <pthread.h>
#include <signal.h>

int real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                        void *(*start_routine)(void *), void *argument);
int real_pthread_sigmask(int how, const sigset_t *set, sigset_t *old_set);
int real_sigaction(int number, const struct sigaction *action, struct sigaction *old_action);
int real_set_name(pthread_t thread, const char *name);

/* Returns the next definition of NAME after the agent's own, or NULL. */
void *real_symbol(const char *name);

#endif
