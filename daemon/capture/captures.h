/* Captures: write every process of the session, living and ended, to one output.
 *
 * daemon/capture/gather.h decides; here the decisions are carried out: the agents of living
 * processes make their profiles, and profd-salvage (daemon/capture/salvage.h) makes all others. One
 * capture at a time. Loop thread. */
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
    struct session *session;            /* is in the state "gathering" during a capture */
    const struct child_table *children; /* whose titles are read again */
    struct exit_store *exits;           /* records that are to be read are held in it */
    struct power *power;                /* describes what it measured */
    const uint64_t *forgotten; /* processes of the session of which not even a name is left */
    const uint64_t *lost_news; /* reports of processes that did not arrive */
    const char *salvage;       /* the path of profd-salvage */
    uint64_t start_ns;         /* of profd; CLOCK_MONOTONIC */
};

/* What a capture is to do. */
struct capture_order {
    uint64_t id;                               /* of the client's request; in all messages to it */
    struct session_owner owner;                /* of the session to capture */
    const struct capture_selection *selection; /* borrowed until on_finished; NULL: everything */
    uint64_t timeout_ms;                       /* to wait for answers; 0: for ever */
    uint64_t since_ns;                         /* what was before is left out; 0: nothing is */
    int output_fd;
    bool is_raw;     /* json/raw_capture.h instead of JSON */
    bool stop_after; /* the session ends with it */
};

struct captures_events {
    /* The table of children is about to be read: processes that can be found now should be added to
     * it. */
    void (*on_listing)(void *context);
    /* LOG belongs to a capture that begins; events from before can be added to it. */
    void (*on_log)(struct gathering_log *log, void *context);
    /* For the client that asked for the capture: its progress, several times a second; and, once,
     * that all of it is in the output. */
    void (*on_progress)(const struct message_capture_progress *message, void *context);
    void (*on_written)(const struct message_capture_done *message, void *context);
    /* All of the capture is in the output, and OWNER's session is to end with it. */
    void (*on_stop)(const struct session_owner *owner, void *context);
    /* The capture is over; the last event, once for each order. ERROR is 0, or a negative errno
     * with one line of TEXT for the client. */
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
/* Cancels the capture that is being made, because profd ends. The loop frees what it holds. Safe to
 * repeat. */
void captures_close(struct captures *captures);

/* Begins the capture that ORDER (copied; its output is taken over on every path) asks for; none may
 * be in progress. on_finished comes at its end, from inside this call or later. */
void captures_begin(struct captures *captures, const struct capture_order *order);

/* Ends the capture that is being made, if any, with ERROR and TEXT for on_finished. */
void captures_cancel(struct captures *captures, int error, const char *text);

/* Whether a capture in progress reads the recordings of CHILD, so that CHILD must not be freed. */
bool captures_have(const struct captures *captures, const struct child *child);

/* What children do during a capture. Nothing happens if no capture is in progress, or CHILD is not
 * in it. */
void captures_note_progress(struct captures *captures, struct child *child, uint64_t gather_id,
                            uint64_t proportion);
/* FD (NULL: none came) is taken over if the profile is used; it is then set to -1. */
void captures_note_profile(struct captures *captures, struct child *child,
                           const struct message_profile *message, int *fd);
/* The agent has disconnected; the process is alive. */
void captures_note_silent(struct captures *captures, struct child *child);
/* The process has ended; if its arena is being copied, captures_note_stored() follows. */
void captures_note_ended(struct captures *captures, struct child *child);
void captures_note_stored(struct captures *captures, struct child *child);

/* profd reaped PID. Returns true if it was a worker, possibly one of a cancelled capture. */
bool captures_note_reaped(struct captures *captures, pid_t pid, int wait_status);

#endif
