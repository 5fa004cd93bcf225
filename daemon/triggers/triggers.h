/* Automatic captures: decides about events (daemon/triggers/trigger_gate.h), and has a worker write
 * the captures (daemon/triggers/trigger_worker.h).
 *
 * Triggers belong to a session: its start sets them, and its end drops the captures that still
 * wait. A profd that ends with its own command first lets them finish. Loop thread. */
#ifndef PROFD_DAEMON_TRIGGERS_H
#define PROFD_DAEMON_TRIGGERS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

#include "daemon/triggers/trigger_files.h"
#include "daemon/triggers/trigger_gate.h"
#include "daemon/triggers/trigger_set.h"
#include "daemon/triggers/trigger_waiters.h"
#include "daemon/triggers/trigger_watch.h"
#include "daemon/triggers/trigger_worker.h"

struct child;
struct child_table;
struct client;
struct session;

/* What triggers look at, and what workers need; borrowed. */
struct triggers_views {
    const struct session *session;
    const struct child_table *children;
    const char *profctl;     /* its path */
    const char *socket_path; /* where it finds profd */
};

struct triggers_events {
    /* CLIENT's request ID is done, or cannot be carried out: see ERROR and TEXT. */
    void (*on_answer)(struct client *client, uint64_t id, int error, const char *text,
                      void *context);
    /* Writes a snapshot of the groups of all processes to FD. 0 or a negative errno. */
    int (*write_groups)(int fd, void *context);
    /* Whether profd itself is ending processes, so that their ends are not triggers. */
    bool (*is_shutting_down)(void *context);
    /* After triggers_end_profd(): everything is written, or it took too long. */
    void (*on_over)(int exit_status, void *context);
};

enum {
    /* How long profd waits for workers before it ends without them. */
    TRIGGERS_HOLD_MS = 60 * 1000,
};

struct triggers {
    struct triggers_views views;
    const struct triggers_events *events;
    void *context;
    bool is_closed;
    struct trigger_set always_on; /* of the session that is always on; empty: none. To be set */
    struct trigger_set set;
    struct trigger_watch watch;
    int directory_fd;     /* owned; -1: there are no triggers */
    unsigned generation;  /* of the session they belong to */
    uint64_t next_number; /* of the next file, from 1 */
    struct trigger_gate gate;
    struct trigger_files files;
    struct trigger_worker worker;
    unsigned worker_generation; /* the session that the worker writes for */
    char worker_name[PATH_MAX]; /* of its file, as the pattern gave it */
    struct trigger_waiters waiters;
    uint64_t written, failed;
    char last_file[PATH_MAX]; /* "": none yet */
    char last_error[TRIGGER_WORKER_TEXT_BYTES];
    uv_timer_t timer; /* for the next capture that is due */
    uv_timer_t hold;  /* until profd ends anyway */
    bool is_holding;  /* profd ends once everything is written */
    int exit_status;  /* … with this */
};

/* *TRIGGERS is zeroed before. Returns 0, or a negative errno from the loop. */
int triggers_init(struct triggers *triggers, uv_loop_t *loop, const struct triggers_views *views,
                  const struct triggers_events *events, void *context);
void triggers_close(struct triggers *triggers);

/* A session has begun with the triggers of SET (copied; NULL: none), whose files go to DIRECTORY_FD
 * (taken over; -1: none). */
void triggers_start(struct triggers *triggers, const struct trigger_set *set, int directory_fd);

/* Starts the triggers of the session that is always on, if it is on and there are no others. Their
 * files go to profd's working directory; if it cannot be opened, that is logged. */
void triggers_start_always_on(struct triggers *triggers);

/* The session ended. A running worker may still finish. */
void triggers_stop(struct triggers *triggers);

/* The user's session ended, and its triggers with it. The triggers of the session that is always
 * on, if that is on, start or stay. */
void triggers_end_user_session(struct triggers *triggers);

/* These report events, which have no effect without a trigger for them. CHILD has ended as its
 * verdict says. */
void triggers_note_verdict(struct triggers *triggers, const struct child *child);
/* CHILD has had HITS hits of marker INDEX in this session. */
void triggers_note_marker(struct triggers *triggers, struct child *child, uint64_t index,
                          uint64_t hits);
/* CHILD is about to be freed. */
void triggers_forget_child(struct child *child);
/* CHILD has ended, and its arena still exists: counts the marker hits that it could not report. */
void triggers_note_ended(struct triggers *triggers, struct child *child);
/* profd received SIGUSR2. Returns true if that is a trigger: then nobody else gets the signal. */
bool triggers_take_sigusr2(struct triggers *triggers);

/* CLIENT requests a capture for name:NAME. It is answered with the file's name when that is
 * written. */
void triggers_ask(struct triggers *triggers, struct client *client, uint64_t id, const char *name);
void triggers_note_client_gone(struct triggers *triggers, const struct client *client);

/* profd reaped PID. Returns true if it was the worker. */
bool triggers_note_reaped(struct triggers *triggers, pid_t pid, int wait_status);

/* The number of the last capture that is being made or is waiting now. */
uint64_t triggers_last_known(const struct triggers *triggers);
/* Whether a trigger's capture with a number up to LAST is being made or is waiting. */
bool triggers_are_under_way(const struct triggers *triggers, uint64_t last);
/* Begins waiting captures at once, since the session or profd is about to end. */
void triggers_hurry(struct triggers *triggers);

/* profd's own command has ended: ends profd with EXIT_STATUS once no capture is under way. */
void triggers_end_profd(struct triggers *triggers, int exit_status);

#endif
