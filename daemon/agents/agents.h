/* The agents' side of profd: their hellos and messages, and the ends of their processes.
 *
 * This connects the child table with connections, process descriptors and the exit store. Every end
 * is reported once, by what notices it first: the descriptor of the process, the reaper, or a
 * second hello. Loop thread. */
#ifndef PROFD_DAEMON_AGENTS_H
#define PROFD_DAEMON_AGENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <uv.h>

#include "buffer/block_account.h"
#include "daemon/agents/exec_calls.h"
#include "ipc/messages.h"

struct access;
struct child;
struct child_introduction;
struct child_table;
struct connection;
struct exit_store;
struct keeper_link;
struct memory;
struct peer_credentials;
struct session;

/* What the agents' side reads and works on; all borrowed. */
struct agents_views {
    uv_loop_t *loop;
    const struct session *session;
    const struct access *access;
    struct child_table *children;
    struct exit_store *exits;
    struct memory *memory;
    struct keeper_link *keeper;
};

/* Events. CONTEXT is the one given to agents_init(). During an event no child is freed, except by
 * on_end. */
struct agents_events {
    /* Processes may have reported something in the census ring, which has to be read first. */
    void (*on_news_wanted)(void *context);
    /* OWNER has said hello. */
    void (*on_hello)(lease_owner owner, void *context);
    /* A child runs another program, which may have no agent. */
    void (*on_replaced)(void *context);
    /* CHILD, which has no agent thread, has an arena in which it may request a perf event. */
    void (*on_loan_request)(struct child *child, void *context);
    /* CHILD, which is alive, has lost its connection and so gives no answers. */
    void (*on_silence)(struct child *child, void *context);
    /* CHILD has ended; its verdict may still be corrected. The callback may free it. */
    void (*on_end)(struct child *child, void *context);
    /* CHILD ended some time ago, and it is now known how. */
    void (*on_verdict)(struct child *child, void *context);
    /* The recording of CHILD, which has ended, is now kept or lost. */
    void (*on_kept)(struct child *child, void *context);
    /* CHILD is about to be freed, whether it has ended or not. */
    void (*on_forgotten)(struct child *child, void *context);
    /* The number of processes that have ended in this session changed. */
    void (*on_ended_count)(void *context);
    /* Returns whether CHILD is in use, so that it cannot be freed now. */
    bool (*is_in_use)(const struct child *child, void *context);

    /* Messages of CHILD's agent: it has entered a state of the session of GENERATION, given by the
     * kind; the progress of its gathering; its profile; HITS intervals of a marker that triggers
     * wait for. *FD is the descriptor of the profile, unless FD is NULL; whoever takes it sets *FD
     * to -1. */
    void (*on_acknowledged)(struct child *child, unsigned kind, uint64_t generation, void *context);
    void (*on_progress)(struct child *child, const struct message_gather_progress *message,
                        void *context);
    void (*on_profile)(struct child *child, const struct message_profile *message, int *fd,
                       void *context);
    void (*on_marker)(struct child *child, uint64_t marker, uint64_t hits, void *context);
};

struct agents {
    uv_loop_t *loop;
    const struct session *session;
    const struct access *access;
    struct child_table *children;
    struct exit_store *exits;
    struct memory *memory;
    struct keeper_link *keeper;
    const struct agents_events *events;
    void *context;
    struct exec_calls exec_calls; /* of programs that have not been met yet */
    uint64_t forgotten; /* ended in this session, but no longer known: there were too many, or profd
                         * was killed since */
};

/* Initializes AGENTS. EVENTS and CONTEXT are borrowed. */
void agents_init(struct agents *agents, const struct agents_views *views,
                 const struct agents_events *events, void *context);

/* Handles a hello, the first message of CONNECTION. PIDFD (-1: none) is taken over on every path.
 * Returns 0 if the connection now belongs to a child; or a negative errno: CONNECTION stays the
 * caller's and is closing, and the reason was logged. */
int agents_hello(struct agents *agents, struct connection *connection, int pidfd,
                 const uint8_t *payload, size_t bytes, int *fds, size_t fd_count);

/* Returns whether processes of PEER are profiled. */
bool agents_may_connect(struct agents *agents, const struct peer_credentials *peer);

/* Notes that PID ended as ENDING says, as reported by profd or by the parent that waited for it.
 * Returns false if no such process is known. */
struct child_ending {
    int wait_status;
    uint64_t cpu_ns; /* CPU_TIME_UNKNOWN */
    uint64_t end_ns; /* the latest time at which it can have ended */
};
bool agents_note_reaped(struct agents *agents, pid_t pid, const struct child_ending *ending);

/* Called when a process reports that it is about to run another program, or its parent that it has
 * started it with one; and when that failed. */
void agents_note_exec_call(struct agents *agents, const struct exec_call *call);
void agents_note_exec_failed(struct agents *agents, pid_t pid);

/* Returns whether CHILD's process reported, while it ran CHILD's program, that it was about to run
 * another one. */
bool agents_knows_exec(const struct agents *agents, const struct child *child);
/* Returns when CHILD's process called exec, as far as is known, else NOW_NS. CLOCK_MONOTONIC. */
uint64_t agents_exec_time(const struct agents *agents, const struct child *child, uint64_t now_ns);

/* Adds a process that has no agent because of OBSTACLE, for the census. If a child with the same
 * pid is alive, the process is its next image. PIDFD (-1: none) is taken over on every path.
 * Returns NULL if memory is exhausted. */
struct child *agents_add_silent(struct agents *agents, const struct child_introduction *who,
                                enum recording_obstacle obstacle, int pidfd);

/* Adds a process that reports that it exists but has recorded nothing yet, or that an obstacle
 * keeps it from ever recording. agents_watch_dormant() looks whether such processes are still
 * alive; call it once everything that was reported with them is known. */
void agents_add_dormant(struct agents *agents, const struct child_introduction *who);
void agents_watch_dormant(struct agents *agents);

/* Notes that the image of PID that began at START_NS has begun to record; its hello is still to
 * come. */
void agents_note_woken(struct agents *agents, pid_t pid, uint64_t start_ns);

/* Notes that the silent CHILD ended as ENDING says. May free CHILD. */
void agents_end_silent(struct child *child, const struct child_ending *ending);

/* Like agents_end_silent(), when it is not known how CHILD ended. */
void agents_end_unwatched(struct child *child, uint64_t end_ns);

/* Corrects an end: what was taken for the end of EARLIER was the end of LATER (NULL: no memory for
 * it), the image that EARLIER became by exec at EXEC_NS. */
void agents_split_ending(struct child *earlier, uint64_t exec_ns, struct child *later);

/* Frees the silent CHILD, which never existed because its program could not be run. The previous
 * image continued; CHILD's end was the end of that one, which has just ended if CHILD has not. */
void agents_forget_silent(struct child *child);

/* Drops the connection of CHILD, which has ended, and its watch if it is known how it ended. */
void agents_detach_process(struct child *child);

/* Keeps the recording of CHILD, which has ended, or only its name. */
void agents_store(struct agents *agents, struct child *child);

/* Takes CHILD out of the table and frees it. Its arena must not be being copied. */
void agents_forget(struct agents *agents, struct child *child);

/* Notes that CHILD's connection has ended; its process may still be alive. */
void agents_note_disconnected(struct child *child);

/* Settles an exec call that CHILD, which has ended, had reported without the next program being
 * heard of: CHILD ended as that program. Does nothing if CHILD reported no such call. */
void agents_settle_exec(struct child *child);

/* Called when the last of the recording of OWNER, a child, has been dropped. Its name stays. */
void agents_note_expired(void *owner, const struct block_account *account);

/* Drops what is kept of processes that have ended, since their session is over. */
void agents_forget_ended(struct agents *agents);

/* Forgets the oldest children of which only the name is known, if there are too many. Nobody may be
 * holding a child. */
void agents_forget_names(struct agents *agents);

/* Continues the session of another profd. Of the processes that ended in it, only their number is
 * left. */
void agents_resume_session(struct agents *agents);

/* Returns how many processes have ended in this session, whether known or forgotten. */
uint64_t agents_ended_count(const struct agents *agents);

/* Called when a session begins: forgets children whose processes have become programs without an
 * agent. They had no connection whose end would have shown it. */
void agents_forget_replaced(struct agents *agents);

/* Called when profd has replaced one that was killed, and continues its session: the processes
 * whose arenas profd-keeper holds become children again, or have ended meanwhile. */
void agents_readmit_kept(struct agents *agents);

/* Called when there is a new profd-keeper, which holds nothing, or none: gives it the arenas that
 * are to be kept. */
void agents_keep_again(struct agents *agents);

/* Closes every connection and watch, and frees the children. */
void agents_close(struct agents *agents);

#endif
