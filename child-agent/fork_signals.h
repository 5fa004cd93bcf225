/* Keeps the program's signal handlers from running while the calling thread is in fork() and holds
 * the agent's locks: a handler that forks would wait for these locks for ever. */
#ifndef PROFD_AGENT_FORK_SIGNALS_H
#define PROFD_AGENT_FORK_SIGNALS_H

/* Called before the first lock is taken. Both functions are async-signal-safe. */
void fork_signals_block(void);

/* Called in the parent and in the child when no lock is held any more. */
void fork_signals_restore(void);

#endif
