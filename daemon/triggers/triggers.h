/* Captures by themselves: what happens is judged (daemon/triggers/trigger_gate.h), and a worker
 * writes the capture (daemon/triggers/trigger_worker.h).
 *
 * They belong to a session: its start brings them, its end drops what still waits. profd that is to
 * end with its own command first lets them finish. Loop thread. */
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

/* What they look at, and what workers need; borrowed. */
struct triggers_views {
    const struct session *session;
    const struct child_table *children;
    const char *profctl;     /* its path */
    const char *socket_path; /* that it finds profd at */
};

struct triggers_events {
    /* What CLIENT asked for with ID is done, or cannot be. */
    void (*on_answer)(struct client *client, uint64_t id, int error, const char *text,
                      void *context);
    /* Writes a snapshot of the groups of all processes into FD. 0 or a negative errno. */
    int (*write_groups)(int fd, void *context);
    /* Whether profd ends processes itself: on purpose, so that their ends are no triggers. */
    bool (*is_shutting_down)(void *context);
    /* After triggers_end_profd(): everything is written, or it took too long. */
    void (*on_over)(int exit_status, void *context);
};

enum {
    /* What a worker may take before profd ends without it. */
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
    uv_timer_t timer; /* for the next that is due */
    uv_timer_t hold;  /* until profd ends all the same */
    bool is_holding;  /* profd ends when everything is written */
    int exit_status;  /* … with this */
};

/* *TRIGGERS is zeroed. Negative errno of the loop. */
int triggers_init(struct triggers *triggers, uv_loop_t *loop, const struct triggers_views *views,
                  const struct triggers_events *events, void *context);
void triggers_close(struct triggers *triggers);

/* The session that began has SET (copied; NULL: none), whose files go to DIRECTORY_FD (taken over;
 * -1 without). */
void triggers_start(struct triggers *triggers, const struct trigger_set *set, int directory_fd);

/* Starts the triggers of the session that is always on, if it is on and there are no others. Their
 * files go to the folder that profd runs in; one that cannot be used is logged. */
void triggers_start_always_on(struct triggers *triggers);

/* The session ended. A worker that runs still finishes, if it can. */
void triggers_stop(struct triggers *triggers);

/* The user's session ended: so do its triggers, and those of the session that is always on start,
 * or stay as long as that is on. */
void triggers_end_user_session(struct triggers *triggers);

/* What happens; nothing comes of it without a trigger for it. CHILD ended as its verdict says. */
void triggers_note_verdict(struct triggers *triggers, const struct child *child);
/* CHILD has had HITS of marker INDEX in this session. */
void triggers_note_marker(struct triggers *triggers, struct child *child, uint64_t index,
                          uint64_t hits);
/* CHILD is about to be freed. */
void triggers_forget_child(struct child *child);
/* CHILD has ended, and its arena is still there: counts the markers that it could not report. */
void triggers_note_ended(struct triggers *triggers, struct child *child);
/* True when SIGUSR2 is a trigger, and so for nobody else. */
bool triggers_take_sigusr2(struct triggers *triggers);

/* CLIENT asks for a capture under NAME; answered, with the file, when it is written. */
void triggers_ask(struct triggers *triggers, struct client *client, uint64_t id, const char *name);
void triggers_note_client_gone(struct triggers *triggers, const struct client *client);

/* profd reaped PID. True when it was the worker. */
bool triggers_note_reaped(struct triggers *triggers, pid_t pid, int wait_status);

/* The number of the last capture that is being made, or waits for its time, now. */
uint64_t triggers_last_known(const struct triggers *triggers);
/* A capture because of a trigger is being made or waits, and is none after number LAST. */
bool triggers_are_under_way(const struct triggers *triggers, uint64_t last);
/* There is no later: begins what waits. */
void triggers_hurry(struct triggers *triggers);

/* profd's own command has ended: ends profd with EXIT_STATUS, once nothing is under way. */
void triggers_end_profd(struct triggers *triggers, int exit_status);

#endif
