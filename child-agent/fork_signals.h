/* No handler of the program runs while the calling thread is in fork() and has the agent's locks:
 * one that forks itself would wait for them for ever. */
#ifndef PROFD_AGENT_FORK_SIGNALS_H
#define PROFD_AGENT_FORK_SIGNALS_H

/* Before the first lock is taken. Async-signal-safe, as the next. */
void fork_signals_block(void);

/* In the parent and in the child, when no lock is held any more. */
void fork_signals_restore(void);

#endif
