/* The agents' side of profd: their hellos and messages, and the ends of their processes.
 *
 * Here the child table meets the world: connections, process descriptors, the exit store. Every end
 * is told once, whoever notices first: the descriptor of the process, the reaper, a second hello.
 */
#ifndef PROFD_DAEMON_AGENTS_H
#define PROFD_DAEMON_AGENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "buffer/block_account.h"
#include "ipc/messages.h"

struct child;
struct child_introduction;
struct connection;
struct daemon;

/* The first message of CONNECTION is a hello. PIDFD (-1: none) is taken over on every path. 0: the
 * connection now belongs to a child here. Negative: it stays the caller's and is closing; why was
 * logged. */
int agents_hello(struct daemon *profd, struct connection *connection, int pidfd,
                 const uint8_t *payload, size_t bytes, int *fds, size_t fd_count);

/* Whoever waited for PID, profd itself or its parent, tells how it ended. False when no such
 * process is known. */
struct child_ending {
    int wait_status;
    uint64_t cpu_ns; /* CPU_TIME_UNKNOWN */
    uint64_t end_ns; /* it was known by then */
};
bool agents_note_reaped(struct daemon *profd, pid_t pid, const struct child_ending *ending);

/* A process without an agent, because of OBSTACLE, for the census: another image, if one of its pid
 * lives. PIDFD (-1: none) is taken over on every path. NULL: no memory. */
struct child *agents_add_silent(struct daemon *profd, const struct child_introduction *who,
                                enum recording_obstacle obstacle, int pidfd);

/* A process that has nothing to tell so far says that it is there. Whether it still lives is looked
 * at once all that was told with it is known: agents_watch_dormant(). */
void agents_add_dormant(struct daemon *profd, const struct child_introduction *who);
void agents_watch_dormant(struct daemon *profd);

/* The one of PID that began at START_NS records by now; its hello is still to come. */
void agents_note_woken(struct daemon *profd, pid_t pid, uint64_t start_ns);

/* CHILD, a silent one, ended so. It may be freed by this. */
void agents_end_silent(struct child *child, const struct child_ending *ending);

/* The same when nobody has told how. */
void agents_end_unwatched(struct child *child, uint64_t end_ns);

/* What was taken for the end of EARLIER was that of LATER (NULL: no memory for it), which it became
 * by exec at EXEC_NS. */
void agents_split_ending(struct child *earlier, uint64_t exec_ns, struct child *later);

/* CHILD, a silent one, is none after all, and is freed: the image before it went on, and ended if
 * CHILD did. */
void agents_forget_silent(struct child *child);

/* CHILD has ended: nothing more is heard of it, but how it ended, where that is not known. */
void agents_let_go(struct child *child);

/* Keeps what CHILD, which has ended, recorded; or its name alone. */
void agents_store(struct daemon *profd, struct child *child);

/* Takes CHILD out of the table and frees it; its copy is not under way. */
void agents_forget(struct daemon *profd, struct child *child);

/* CHILD's connection has ended; its process may go on. */
void agents_note_disconnected(struct child *child);

/* CHILD told that it would become another program, and it was not heard of as that: it runs it, or
 * has ended. Nothing when it told no such thing. */
void agents_settle_exec(struct child *child);

/* The last of what is kept of OWNER, a child, has gone: its name stays. */
void agents_note_expired(void *owner, const struct block_account *account);

/* Drops what is kept of processes that ended: the session that they belong to is over. */
void agents_forget_ended(struct daemon *profd);

/* Forgets the oldest of those of which only the name is known, when they are too many. Nobody holds
 * a child meanwhile. */
void agents_forget_names(struct daemon *profd);

/* A session begins: those that became a program without an agent meanwhile, unheard since they have
 * no connection to end, are no children any more. */
void agents_forget_replaced(struct daemon *profd);

/* profd has taken the place of one that was killed, with its session: the processes whose arenas
 * profd-keeper has are children again, or have ended meanwhile. */
void agents_readmit_kept(struct daemon *profd);

/* Closes every connection and watch; children are freed. */
void agents_close(struct daemon *profd);

#endif
