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

/* CHILD, which is new, is WHO. If the exec call that made it was reported, that is when its process
 * began, or when EARLIER (NULL: no image before it is known) ended, and with what CPU time. Returns
 * when the program before it ended. */
uint64_t agents_settle_exec_call(struct agents *agents, struct child *earlier, struct child *child,
                                 const struct child_introduction *who);

/* Who said HELLO, as PEER_PID; PIDFD (-1: it has ended) is borrowed. */
struct child_introduction agents_introduce(const struct message_hello *hello, pid_t peer_pid,
                                           int pidfd);

/* CHILD records into ARENA_FD (taken over) from now on; -1: it does not, and HELLO says why. */
void agents_take_arena(struct child *child, const struct message_hello *hello, int arena_fd);

/* Gives profd-keeper a copy of the descriptor of CHILD's arena, for the profd that comes when this
 * one is killed. User UID said the HELLO that came with it. */
void agents_keep(struct agents *agents, struct child *child, uid_t uid, const uint8_t *hello,
                 size_t bytes);

/* Watches CHILD for its end by PIDFD (taken over; -1: nothing). */
void agents_watch(struct agents *agents, struct child *child, int pidfd);

/* --- To end --- */

/* CHILD has ended, if it had not. Without a session there is nothing to keep of it, and it is gone
 * after this. */
void agents_end(struct agents *agents, struct child *child, enum process_verdict verdict, int code,
                uint64_t end_ns);

void agents_drop_connection(struct child *child);
void agents_stop_watching(struct child *child);

/* profd-keeper may drop CHILD's arena. */
void agents_stop_keeping(struct agents *agents, struct child *child);

/* The CPU time that was reported with its end, if any was. */
void agents_take_cpu_time(struct child *child, const struct child_ending *ending);

/* CHILD, which seemed to have ended, became another program at EXEC_NS. */
void agents_change_end_to_exec(struct child *child, uint64_t exec_ns);

/* What was reported of the end of OTHER was CHILD's end. Passed on: it was not EARLIER's. */
void agents_take_ending(struct child *child, const struct child *other);
void agents_pass_ending_on(struct child *child, struct child *earlier);

#endif
