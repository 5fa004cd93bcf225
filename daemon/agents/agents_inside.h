/* Shared by the files that implement daemon/agents/agents.h. Included by agents*.c only. */
#ifndef PROFD_DAEMON_AGENTS_INSIDE_H
#define PROFD_DAEMON_AGENTS_INSIDE_H

#include "daemon/agents/agents.h"
#include "daemon/children/child_table.h"

struct message_hello;

/* --- How processes become children --- */

/* Returns the child that WHO is, which may be one that is already known; NULL if memory is
 * exhausted. */
struct child *agents_meet(struct agents *agents, const struct child_introduction *who);

/* Adds a new child. Returns NULL if memory is exhausted. */
struct child *agents_add(struct agents *agents, const struct child_introduction *who);

/* Introduces CHILD, which is new, as WHO. If the exec call that made it was reported, that gives
 * the time when its process began, or when EARLIER (NULL: no previous image is known) ended, and
 * EARLIER's CPU time. Returns when the previous program ended. */
uint64_t agents_settle_exec_call(struct agents *agents, struct child *earlier, struct child *child,
                                 const struct child_introduction *who);

/* Returns who said HELLO, as PEER_PID; PIDFD (-1: the process has ended) is borrowed. */
struct child_introduction agents_introduce(const struct message_hello *hello, pid_t peer_pid,
                                           int pidfd);

/* Notes that CHILD records into ARENA_FD (taken over) from now on; -1: it does not record, and
 * HELLO says why. */
void agents_take_arena(struct child *child, const struct message_hello *hello, int arena_fd);

/* Gives profd-keeper a copy of the descriptor of CHILD's arena, for the profd that starts if this
 * one is killed. HELLO, BYTES long, is the hello that came with the arena, from user UID. */
void agents_keep(struct agents *agents, struct child *child, uid_t uid, const uint8_t *hello,
                 size_t bytes);

/* Watches for the end of CHILD by PIDFD (taken over; -1: does nothing). */
void agents_watch(struct agents *agents, struct child *child, int pidfd);

/* --- Ends --- */

/* Notes that CHILD has ended, unless that was already known. Without a session nothing of it is
 * kept, and CHILD is freed. */
void agents_end(struct agents *agents, struct child *child, enum process_verdict verdict, int code,
                uint64_t end_ns);

void agents_drop_connection(struct child *child);
void agents_stop_watching(struct child *child);

/* Tells profd-keeper that it may drop CHILD's arena. */
void agents_stop_keeping(struct agents *agents, struct child *child);

/* Takes the CPU time that was reported with CHILD's end, if any was. */
void agents_take_cpu_time(struct child *child, const struct child_ending *ending);

/* Corrects CHILD, which seemed to have ended: it became another program at EXEC_NS. */
void agents_change_end_to_exec(struct child *child, uint64_t exec_ns);

/* Takes what was reported about the end of OTHER as CHILD's end. The second takes it from EARLIER,
 * whose end it was not. */
void agents_take_ending(struct child *child, const struct child *other);
void agents_pass_ending_on(struct child *child, struct child *earlier);

/* CHILD is the next image of EARLIER's process: it has the process' beginning, and what the process
 * used before the session. The second lets it be watched, if EARLIER is. */
void agents_continue_process(struct child *child, const struct child *earlier);
void agents_pass_watch_on(struct child *child, struct child *earlier);

/* Ends CHILD, whose process runs another program: that which it told of, if that one cannot say
 * hello. Without a session CHILD is freed. */
void agents_end_as_replaced(struct child *child);

/* Like agents_settle_exec(), if nothing in the program that CHILD became can still say hello. */
void agents_settle_silent_exec(struct child *child);

#endif
