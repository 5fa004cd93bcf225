/* The agents' side of profd: their hellos and messages, and the ends of their processes.
 *
 * Here the child table meets the world: connections, process descriptors, the exit store. Every end
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

/* What they look at, or work on; borrowed. */
struct agents_views {
    uv_loop_t *loop;
    const struct session *session;
    const struct access *access;
    struct child_table *children;
    struct exit_store *exits;
    struct memory *memory;
    struct keeper_link *keeper;
};

/* What happens; CONTEXT is as in agents_init(). A child is freed by nobody meanwhile, but by
 * on_end. */
struct agents_events {
    /* Processes may have told something by the census ring, which is to be read first. */
    void (*on_news_wanted)(void *context);
    /* OWNER has said hello. */
    void (*on_hello)(lease_owner owner, void *context);
    /* A child runs another program, which may have no agent. */
    void (*on_replaced)(void *context);
    /* CHILD, in which nobody listens, has an arena in which it may want a perf event. */
    void (*on_loan_request)(struct child *child, void *context);
    /* CHILD, which lives, has lost its connection, and so gives no answers. */
    void (*on_silence)(struct child *child, void *context);
    /* CHILD has ended; its verdict may still be corrected. It may be freed by this. */
    void (*on_end)(struct child *child, void *context);
    /* CHILD ended some time ago, and now it is known how. */
    void (*on_verdict)(struct child *child, void *context);
    /* What CHILD, which has ended, recorded is kept, or is lost. */
    void (*on_kept)(struct child *child, void *context);
    /* CHILD is about to be freed, whether it has ended or not. */
    void (*on_forgotten)(struct child *child, void *context);
    /* How many have ended in this session changed. */
    void (*on_ended_count)(void *context);
    /* Whether somebody works with CHILD, so that it cannot be freed now. */
    bool (*is_in_use)(const struct child *child, void *context);

    /* Messages of CHILD's agent: it is in a state of the session of GENERATION, by the kind; what
     * it gathers; a marker that triggers wait for, HITS times. *FD is the profile's, or FD is
     * NULL; who takes it sets it to -1. */
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
    struct exec_calls exec_calls; /* of programs that are not met yet */
    uint64_t forgotten; /* ended in this session; too many to know, or profd was killed since */
};

/* EVENTS and CONTEXT are borrowed. */
void agents_init(struct agents *agents, const struct agents_views *views,
                 const struct agents_events *events, void *context);

/* The first message of CONNECTION is a hello. PIDFD (-1: none) is taken over on every path. 0: the
 * connection now belongs to a child here. Negative: it stays the caller's and is closing; why was
 * logged. */
int agents_hello(struct agents *agents, struct connection *connection, int pidfd,
                 const uint8_t *payload, size_t bytes, int *fds, size_t fd_count);

/* Whether processes of PEER are profiled. */
bool agents_may_connect(struct agents *agents, const struct peer_credentials *peer);

/* PID ended as ENDING says, which comes from profd or the parent that waited for it. False when no
 * such process is known. */
struct child_ending {
    int wait_status;
    uint64_t cpu_ns; /* CPU_TIME_UNKNOWN */
    uint64_t end_ns; /* it was known by then */
};
bool agents_note_reaped(struct agents *agents, pid_t pid, const struct child_ending *ending);

/* A process reports that it is about to run another program, or its parent that it has started it
 * with one; and that this failed. */
void agents_note_exec_call(struct agents *agents, const struct exec_call *call);
void agents_note_exec_failed(struct agents *agents, pid_t pid);

/* Whether CHILD's process told, as the program that it is here, that it is about to run another. */
bool agents_knows_exec(const struct agents *agents, const struct child *child);
/* When CHILD's process called exec, as far as is known; else NOW_NS. CLOCK_MONOTONIC. */
uint64_t agents_exec_time(const struct agents *agents, const struct child *child, uint64_t now_ns);

/* Adds a process that has no agent because of OBSTACLE, for the census. If one of its pid lives,
 * it is the next image of that. PIDFD (-1: none) is taken over on every path. NULL: no memory. */
struct child *agents_add_silent(struct agents *agents, const struct child_introduction *who,
                                enum recording_obstacle obstacle, int pidfd);

/* A process that has recorded nothing yet reports that it exists. agents_watch_dormant() looks
 * whether it still lives, once everything that was reported with it is known. */
void agents_add_dormant(struct agents *agents, const struct child_introduction *who);
void agents_watch_dormant(struct agents *agents);

/* The image of PID that began at START_NS has begun to record; its hello is still to come. */
void agents_note_woken(struct agents *agents, pid_t pid, uint64_t start_ns);

/* CHILD, a silent one, ended as ENDING says. It may be freed by this. */
void agents_end_silent(struct child *child, const struct child_ending *ending);

/* The same when it is not known how. */
void agents_end_unwatched(struct child *child, uint64_t end_ns);

/* What was taken for the end of EARLIER was the end of LATER (NULL: no memory for it), the image
 * that EARLIER became by exec at EXEC_NS. */
void agents_split_ending(struct child *earlier, uint64_t exec_ns, struct child *later);

/* CHILD, a silent one, never existed, and is freed: its program could not be run. The image before
 * it continued, and if CHILD has ended, that was the end of the image before. */
void agents_forget_silent(struct child *child);

/* CHILD has ended: drops its connection, and its watch if it is known how it ended. */
void agents_detach_process(struct child *child);

/* Keeps what CHILD, which has ended, recorded; or its name alone. */
void agents_store(struct agents *agents, struct child *child);

/* Takes CHILD out of the table and frees it; its copy is not under way. */
void agents_forget(struct agents *agents, struct child *child);

/* CHILD's connection has ended; its process may still live. */
void agents_note_disconnected(struct child *child);

/* CHILD, which has ended, may have reported that it was about to become another program, of which
 * nothing was heard since: it ended as that one. Nothing if it reported no such thing. */
void agents_settle_exec(struct child *child);

/* The last of what is kept of OWNER, a child, has gone: its name stays. */
void agents_note_expired(void *owner, const struct block_account *account);

/* Drops what is kept of processes that ended: the session that they belong to is over. */
void agents_forget_ended(struct agents *agents);

/* Forgets the oldest of those of which only the name is known, when they are too many. Nobody holds
 * a child meanwhile. */
void agents_forget_names(struct agents *agents);

/* The session of another profd continues here: of the processes that ended in it only a number is
 * left. */
void agents_resume_session(struct agents *agents);

/* How many have ended in this session, known or forgotten. */
uint64_t agents_ended_count(const struct agents *agents);

/* A session begins: forgets children whose processes have become programs without an agent. Without
 * a connection that could end, they did so unnoticed. */
void agents_forget_replaced(struct agents *agents);

/* profd has taken the place of one that was killed, with its session: the processes whose arenas
 * profd-keeper has are children again, or have ended meanwhile. */
void agents_readmit_kept(struct agents *agents);

/* There is another profd-keeper, which has nothing, or none: gives it the arenas that are to be
 * kept. */
void agents_keep_again(struct agents *agents);

/* Closes every connection and watch; children are freed. */
void agents_close(struct agents *agents);

#endif
