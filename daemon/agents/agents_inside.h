/* What the files of daemon/agents/agents.h share. Included by agents*.c only. */
#ifndef PROFD_DAEMON_AGENTS_INSIDE_H
#define PROFD_DAEMON_AGENTS_INSIDE_H

#include "daemon/agents/agents.h"
#include "daemon/children/child_table.h"

struct message_hello;

/* --- To become a child --- */

/* The child that WHO is, which may be one that is known; NULL: no memory. */
struct child *agents_meet(struct agents *agents, const struct child_introduction *who);

/* A new one. NULL: no memory. */
struct child *agents_add(struct agents *agents, const struct child_introduction *who);

/* CHILD, which is new, is WHO. What was told of the exec call that made it tells when its process
 * began, or when that stopped to be EARLIER (NULL: it is the first one that is known), and what it
 * had used by then. Returns when the program before it ended. */
uint64_t agents_settle_exec_call(struct agents *agents, struct child *earlier, struct child *child,
                                 const struct child_introduction *who);

/* Who said HELLO, as PEER_PID; PIDFD (-1: it has ended) is borrowed. */
struct child_introduction agents_introduce(const struct message_hello *hello, pid_t peer_pid,
                                           int pidfd);

/* What CHILD records into from here on, ARENA_FD (taken over), or with -1 why it does not. */
void agents_take_arena(struct child *child, const struct message_hello *hello, int arena_fd);

/* Watches CHILD for its end by PIDFD (taken over; -1: nothing). */
void agents_watch(struct agents *agents, struct child *child, int pidfd);

/* --- To end --- */

/* CHILD has ended, if it had not. Without a session there is nothing to keep of it, and it is gone
 * after this. */
void agents_end(struct agents *agents, struct child *child, enum process_verdict verdict, int code,
                uint64_t end_ns);

void agents_drop_connection(struct child *child);
void agents_stop_watching(struct child *child);

/* profd-keeper need not have CHILD's arena any more. */
void agents_stop_keeping(struct agents *agents, struct child *child);

/* The CPU time that was told with its end, if it was. */
void agents_take_cpu_time(struct child *child, const struct child_ending *ending);

/* CHILD, which seemed to have ended, went on as another program at EXEC_NS. */
void agents_change_end_to_exec(struct child *child, uint64_t exec_ns);

/* What was told of the end of OTHER was CHILD's; passed on: and EARLIER knows nothing of it. */
void agents_take_ending(struct child *child, const struct child *other);
void agents_pass_ending_on(struct child *child, struct child *earlier);

#endif
