/* Captures: every process of the session, live and dead, into one output.
 *
 * The decisions are those of daemon/capture/gather.h; here they are carried out, by the agents of
 * those that live and by profd-salvage (daemon/capture/salvage.h) for all others. One capture at a
 * time. Loop thread. */
#ifndef PROFD_DAEMON_CAPTURES_H
#define PROFD_DAEMON_CAPTURES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

#include "daemon/capture/salvage.h"
#include "daemon/session.h"
#include "ipc/messages.h"

struct capture;
struct capture_selection;
struct child;
struct child_table;
struct exit_store;
struct gathering_log;
struct power;

/* What they work on; borrowed. */
struct captures_views {
    struct session *session;            /* is gathered meanwhile */
    const struct child_table *children; /* whose titles are looked at anew */
    struct exit_store *exits;           /* what is to be read is held in it */
    struct power *power;                /* describes what it measured */
    const uint64_t *forgotten; /* processes of the session of which not even a name is left */
    const uint64_t *lost_news; /* entries of the census ring that were lost */
    const char *salvage;       /* the path of profd-salvage */
    uint64_t start_ns;         /* of profd; CLOCK_MONOTONIC */
};

/* What is asked for. */
struct capture_order {
    uint64_t id;                /* of the client's request: what it is told has it, too */
    struct session_owner owner; /* of the session that is meant */
    const struct capture_selection *selection; /* borrowed until on_finished; NULL: everything */
    uint64_t timeout_ms;                       /* to wait for answers; 0: without end */
    uint64_t since_ns;                         /* what was before is left out; 0: nothing is */
    int output_fd;
    bool is_raw;     /* json/raw_capture.h instead of JSON */
    bool stop_after; /* the session ends with it */
};

struct captures_events {
    /* The table of children is about to be read: processes that can be found now belong in it. */
    void (*on_listing)(void *context);
    /* LOG, of a capture that begins, has room for what happened before. */
    void (*on_log)(struct gathering_log *log, void *context);
    /* For the client that asked for the capture: its progress, several times a second; and once,
     * that all of it is in the output. */
    void (*on_progress)(const struct message_capture_progress *message, void *context);
    void (*on_written)(const struct message_capture_done *message, void *context);
    /* All of it is in the output, and OWNER's session is to end with it. */
    void (*on_stop)(const struct session_owner *owner, void *context);
    /* It is over, last of all, once for each order: ERROR is 0, or a negative errno with one line
     * of TEXT for the client. */
    void (*on_finished)(int error, const char *text, void *context);
};

struct captures {
    uv_loop_t *loop; /* borrowed */
    struct captures_views views;
    const struct captures_events *events;
    void *context;
    struct salvage_pool salvage;
    struct capture *current; /* NULL: none is being made */
    uint64_t last_gather_id;
};

void captures_init(struct captures *captures, uv_loop_t *loop, const struct captures_views *views,
                   const struct captures_events *events, void *context);
/* Cancels the one that is being made, as profd ends. What it holds is freed by the loop. Safe to
 * repeat. */
void captures_close(struct captures *captures);

/* Begins what ORDER (copied; its output is taken over on every path) asks for; none is being made.
 * Ends with on_finished, from inside this call or later. */
void captures_begin(struct captures *captures, const struct capture_order *order);

/* Ends the capture that is being made, if any, with ERROR and TEXT for on_finished. */
void captures_cancel(struct captures *captures, int error, const char *text);

/* Whether the capture that is being made, if any, reads what CHILD recorded: then CHILD is not to
 * be freed. */
bool captures_have(const struct captures *captures, const struct child *child);

/* What children do meanwhile; nothing happens when no capture is being made or CHILD is not in it.
 */
void captures_note_progress(struct captures *captures, struct child *child, uint64_t gather_id,
                            uint64_t proportion);
/* FD (NULL: none came) is taken over when the profile is used: -1 is then in its place. */
void captures_note_profile(struct captures *captures, struct child *child,
                           const struct message_profile *message, int *fd);
/* The agent is gone, the process lives. */
void captures_note_silent(struct captures *captures, struct child *child);
/* The process has ended; if its arena is being copied, captures_note_stored() follows. */
void captures_note_ended(struct captures *captures, struct child *child);
void captures_note_stored(struct captures *captures, struct child *child);

/* profd reaped PID. True when it was a worker, perhaps one of a capture that was cancelled. */
bool captures_note_reaped(struct captures *captures, pid_t pid, int wait_status);

#endif
