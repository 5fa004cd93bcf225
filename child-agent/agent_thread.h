/* The agent thread: talks to profd, starts and stops sessions when profd says so, and looks
 * meanwhile where threads sleep (sampler/looker.h).
 *
 * The program never waits for it, except at its start, until the thread has its own table of
 * descriptors. The thread connects, says hello, obeys, and reconnects when profd comes back; an
 * active session continues meanwhile. */
#ifndef PROFD_AGENT_AGENT_THREAD_H
#define PROFD_AGENT_AGENT_THREAD_H

#include <stdbool.h>

#include "child-agent/agent_address.h"

/* Says hello to profd at ADDRESS (copied; NULL: the previous one), if that takes no waiting, and
 * starts the thread. On return the thread holds the agent's descriptors in a table of its own, so
 * the program may close everything at once; the wait for that is short and limited. Called from the
 * constructor, in a forked child, and after agent_thread_stop(). Returns 0, or -errno if nobody
 * controls this process. */
int agent_thread_start(const struct agent_address *address);

/* Like agent_thread_start(), without a thread, while the program has only one: says hello and
 * leaves the arena to profd. Returns 0, or -errno if a thread must try again. */
int agent_thread_introduce(const struct agent_address *address);

/* Says hello again, with an arena that profd does not have. Errors are those of
 * agent_thread_introduce(). */
int agent_thread_introduce_again(void);

/* Replaces the ledger of a profd that has ended with that of the current profd. Errors are those of
 * agent_lease_renew(). */
int agent_thread_find_ledger(void);

/* Returns whether this process has introduced itself and has no agent thread. Any thread. */
bool agent_thread_is_alone(void);

/* Ends the thread and its connection, and waits for a gathering to end. Any thread but the agent's.
 * Returns false if there was no thread. */
bool agent_thread_stop(void);

/* Returns whether this process was ever told where profd is. */
bool agent_thread_has_address(void);

bool agent_thread_is_running(void);

/* Between hold and release no session starts or stops. agent_thread_hold() returns false if it
 * would have to wait too long. */
bool agent_thread_hold(void);
void agent_thread_release(void);

/* Returns whether nobody holds it. For signal handlers. */
bool agent_thread_is_free(void);

/* Called around fork; it is held meanwhile. The child has no agent thread and no connection until
 * agent_thread_start(). */
void agent_thread_before_fork(void);
void agent_thread_after_fork_parent(void);
void agent_thread_after_fork_child(void);

#endif
