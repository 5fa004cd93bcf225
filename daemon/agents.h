/* The agents' side of profd: their hellos and messages, and the ends of their processes.
 *
 * Here the child table meets the world: connections, process descriptors, the exit store. Every end
 * is told once, whoever notices first: the descriptor of the process, the reaper, a second hello.
 */
#ifndef PROFD_DAEMON_AGENTS_H
#define PROFD_DAEMON_AGENTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct child;
struct connection;
struct daemon;

/* The first message of CONNECTION is a hello. PIDFD (-1: none) is taken over on every path. 0: the
 * connection now belongs to a child here. Negative: it stays the caller's and is closing; why was
 * logged. */
int agents_hello(struct daemon *profd, struct connection *connection, int pidfd,
                 const uint8_t *payload, size_t bytes, int *fds, size_t fd_count);

/* profd reaped PID with WAIT_STATUS: its own child, or an orphan that it adopted. */
void agents_note_reaped(struct daemon *profd, pid_t pid, int wait_status);

/* CHILD's connection has ended; its process may go on. */
void agents_note_disconnected(struct child *child);

/* The last of what is kept of OWNER, a child, has gone: its name stays. */
void agents_note_expired(void *owner);

/* Drops what is kept of processes that ended: the session that they belong to is over. */
void agents_forget_ended(struct daemon *profd);

/* Closes every connection and watch; children are freed. */
void agents_close(struct daemon *profd);

#endif
