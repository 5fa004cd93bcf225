/* Requests that change the session, one after the other: start, stop, pause, resume, capture.
 *
 * A start, stop, pause or resume is sent to every connected child. It is answered when all have
 * acknowledged it, or after ROUND_DEADLINE_MS with the names of those that have not. Loop thread.
 */
#ifndef PROFD_DAEMON_REQUESTS_H
#define PROFD_DAEMON_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "daemon/requests/request_queue.h"
#include "daemon/requests/round.h"
#include "daemon/session.h"

struct child;
struct child_table;
struct client;
struct trigger_set;
struct triggers;

enum {
    REQUESTS_MAX_WAITING = 64, /* a limit for clients that ask without reading the answers */
};

/* What requests change or look at; borrowed. */
struct requests_views {
    struct session *session;
    struct child_table *children;
    struct triggers *triggers; /* a capture that stops waits for theirs */
};

/* CONTEXT is that of requests_init(). */
struct requests_events {
    /* CLIENT's request ID is finished: ERROR is 0 or a negative errno, TEXT is for people ("":
     * none). */
    void (*on_answer)(struct client *client, uint64_t id, int error, const char *text,
                      void *context);
    /* The session has begun, with the triggers of SET (copied; NULL: none), whose files go to
     * DIRECTORY_FD (taken over; -1: none); another session has joined it, likewise; one of two has
     * left. */
    void (*on_begin)(const struct trigger_set *set, int directory_fd, void *context);
    void (*on_joined)(const struct trigger_set *set, int directory_fd, void *context);
    void (*on_left)(void *context);
    /* The user's session is over: its duration and triggers end, even if the recording goes on. */
    void (*on_extras_over)(void *context);
    /* The session is in another state, of which the children are told next; all children have
     * started. */
    void (*on_move)(void *context);
    void (*on_started)(void *context);
    /* REQUEST, the current one, asks for a capture, whose end is reported by requests_finish(); the
     * capture is to be cancelled, with ERROR and TEXT, because its client has disconnected. */
    void (*on_capture)(struct request *request, void *context);
    void (*on_capture_unwanted)(int error, const char *text, void *context);
    /* Whether processes are still expected to reconnect, without which a capture would be
     * incomplete. */
    bool (*is_awaiting)(void *context);
};

struct requests {
    struct session *session;
    struct child_table *children;
    struct triggers *triggers;
    const struct requests_events *events;
    void *context;
    struct session_settings always_on; /* of the session that is always on; interval 0: there is
                                        * none. To be set */
    struct request *current;           /* being carried out */
    struct request_queue waiting;
    enum request_kind told; /* what the children were told in … */
    struct round round;     /* … this one */
    uv_timer_t duration;    /* of the session */
    uv_prepare_t kick;      /* begins the next request from the loop, not from a call */
    bool is_closed;
};

/* *REQUESTS is zeroed before. Returns 0, or a negative errno from the loop. */
int requests_init(struct requests *requests, uv_loop_t *loop, const struct requests_views *views,
                  const struct requests_events *events, void *context);
void requests_close(struct requests *requests);

/* Sets the timer that pauses the session at its end_ns; stops that timer. */
void requests_time_session(struct requests *requests);
void requests_end_time(struct requests *requests);

/* Adds REQUEST (calloc'ed), which is taken over. Returns 0, or -EBUSY if too many are waiting: then
 * it has been freed without an answer. */
int requests_add(struct requests *requests, struct request *request);

/* Adds a REQUEST_STOP or REQUEST_PAUSE of OWNER's session on profd's own behalf. It is added
 * however many are waiting, since it was promised. */
void requests_add_own(struct requests *requests, enum request_kind kind,
                      const struct session_owner *owner);

/* Starts the session that is always on; a failure is logged. Does nothing if there is no such
 * session, or it is on. */
void requests_join_always_on(struct requests *requests);

/* Begins what waits, as far as it may begin: now, and not when the loop comes to it. */
void requests_begin_waiting(struct requests *requests);

/* Process PID has ended or become another program: ends the session that it started, if any. */
void requests_note_program_gone(struct requests *requests, pid_t pid);

/* The current request is finished: answers it with ERROR and TEXT, frees it, and begins the
 * next. */
void requests_finish(struct requests *requests, int error, const char *text);

/* CHILD acknowledged MESSAGE_KIND for GENERATION. */
void requests_note_acknowledged(struct requests *requests, const struct child *child,
                                unsigned message_kind, uint64_t generation);
/* CHILD will not answer: it has ended or lost its connection. */
void requests_note_gone(struct requests *requests, const struct child *child);
/* CLIENT has disconnected: its captures are cancelled, and its other requests are carried out
 * without an answer. */
void requests_note_client_gone(struct requests *requests, struct client *client);

#endif
