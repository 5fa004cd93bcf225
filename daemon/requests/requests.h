/* Requests that change the session, one after the other: start, stop, pause, resume, capture.
 *
 * A start, stop, pause or resume goes to every connected child and is answered when each has
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

/* What they change or look at; borrowed. */
struct requests_views {
    struct session *session;
    struct child_table *children;
    struct triggers *triggers; /* whose captures come before the last one */
};

/* What happens; CONTEXT is as in requests_init(). */
struct requests_events {
    /* CLIENT's request ID is over: ERROR 0 or a negative errno, TEXT for people ("": none). */
    void (*on_answer)(struct client *client, uint64_t id, int error, const char *text,
                      void *context);
    /* The session has begun, with SET (copied; NULL: no triggers), whose files go to DIRECTORY_FD
     * (taken over; -1: none); another one has joined it; one of two has left. */
    void (*on_begin)(const struct trigger_set *set, int directory_fd, void *context);
    void (*on_joined)(const struct trigger_set *set, int directory_fd, void *context);
    void (*on_left)(void *context);
    /* The user's session is over: its time and its triggers end, whether the recording does or not.
     */
    void (*on_extras_over)(void *context);
    /* It is in another state, of which the children are told next; all have started. */
    void (*on_move)(void *context);
    void (*on_started)(void *context);
    /* REQUEST, the current one, is for a capture, which ends with requests_finish(). It is to be
     * cancelled, with ERROR and TEXT, because the client has gone. */
    void (*on_capture)(struct request *request, void *context);
    void (*on_capture_unwanted)(int error, const char *text, void *context);
    /* Whether processes may still come back, without which a capture would not be whole. */
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
    enum request_kind told; /* to the children, in … */
    struct round round;     /* … this one */
    uv_timer_t duration;    /* of the session */
    uv_prepare_t kick;      /* begins the next request from the loop, never from inside a call */
    bool is_closed;
};

/* *REQUESTS is zeroed. Negative errno of the loop. */
int requests_init(struct requests *requests, uv_loop_t *loop, const struct requests_views *views,
                  const struct requests_events *events, void *context);
void requests_close(struct requests *requests);

/* Lets the session pause at its end_ns; and forgets that time. */
void requests_time_session(struct requests *requests);
void requests_end_time(struct requests *requests);

/* Takes REQUEST (calloc'ed) over. -EBUSY when too many wait: it is freed, nothing was answered. */
int requests_add(struct requests *requests, struct request *request);

/* A REQUEST_STOP or _PAUSE of OWNER's session that no client asked for. It waits however many do:
 * it was promised. */
void requests_add_own(struct requests *requests, enum request_kind kind,
                      const struct session_owner *owner);

/* Begins the session that is always on, or a log line says why not. Nothing where there is none, or
 * when it is on. */
void requests_join_always_on(struct requests *requests);

/* Process PID is no more, or another program: a session that it began is over. */
void requests_note_program_gone(struct requests *requests, pid_t pid);

/* The current request is over: answers with ERROR and TEXT, frees it, begins the next. */
void requests_finish(struct requests *requests, int error, const char *text);

/* CHILD acknowledged MESSAGE_KIND for GENERATION. */
void requests_note_acknowledged(struct requests *requests, const struct child *child,
                                unsigned message_kind, uint64_t generation);
/* CHILD will not answer: it has ended or lost its connection. */
void requests_note_gone(struct requests *requests, const struct child *child);
/* CLIENT went: its captures are cancelled, its other requests are carried out without an answer. */
void requests_note_client_gone(struct requests *requests, struct client *client);

#endif
