/* The agent thread: talks with profd, and starts and stops sessions at its word.
 *
 * The program never waits for it, except until it has a table of descriptors of its own when it
 * starts. It connects, says hello, obeys, and connects again when profd comes back; meanwhile an
 * active session goes on. */
#ifndef PROFD_AGENT_AGENT_THREAD_H
#define PROFD_AGENT_AGENT_THREAD_H

#include <stdbool.h>

#include "child-agent/agent_address.h"

/* Says hello to profd at ADDRESS (copied; NULL: the same as before) if that takes no waiting, and
 * starts the thread. When it returns, the thread holds the agent's descriptors in a table of its
 * own, so that the program may close everything at once; it waits for that a moment at most. From
 * the constructor, in a forked child, and after agent_thread_stop(). 0 or -errno: then nobody
 * steers this process. */
int agent_thread_start(const struct agent_address *address);

/* The same without a thread, while the program has only one: says hello and leaves the arena to
 * profd. 0 or -errno: then a thread has to try again. */
int agent_thread_introduce(const struct agent_address *address);

/* Once more, with an arena that profd has not got. Errors likewise. */
int agent_thread_introduce_again(void);

/* The ledger of the profd that is there by now, in place of one that is over. Errors as
 * agent_lease_renew(). */
int agent_thread_find_ledger(void);

/* Whether this process was introduced, and has no thread of ours. Any thread. */
bool agent_thread_is_alone(void);

/* Ends the thread and its connection, and waits for the end of a gathering. Any thread but the
 * agent's. False when there was none. */
bool agent_thread_stop(void);

bool agent_thread_is_running(void);

/* Between the two a session does not start or stop, unless that takes longer than anybody should
 * wait: then false. */
bool agent_thread_hold(void);
void agent_thread_release(void);

/* In a signal handler: whether nobody holds it. */
bool agent_thread_is_free(void);

/* Around fork, during which it is held. The child has no agent thread and no connection until
 * agent_thread_start(). */
void agent_thread_before_fork(void);
void agent_thread_after_fork_parent(void);
void agent_thread_after_fork_child(void);

#endif
