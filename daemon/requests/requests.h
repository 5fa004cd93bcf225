/* Requests that change the session, one after the other: start, stop, pause, resume, capture.
 *
 * A start, stop, pause or resume goes to every connected child and is answered when each has
 * acknowledged it, or after ROUND_DEADLINE_MS with the names of those that have not. Loop thread.
 */
#ifndef PROFD_DAEMON_REQUESTS_H
#define PROFD_DAEMON_REQUESTS_H

#include <stdint.h>
#include <uv.h>

#include "daemon/session.h"

struct capture_selection;
struct child;
struct client;
struct daemon;
struct trigger_set;

enum {
    /* An agent answers in milliseconds, a frozen process never: what a person waits for without
     * wondering. */
    ROUND_DEADLINE_MS = 3000,
    REQUESTS_MAX_WAITING = 64, /* clients that go on asking without reading answers end here */
};

enum request_kind {
    REQUEST_START,
    REQUEST_STOP,
    REQUEST_PAUSE,
    REQUEST_RESUME,
    REQUEST_PAUSE_SAMPLING,
    REQUEST_RESUME_SAMPLING,
    REQUEST_CAPTURE
};

struct request {
    enum request_kind kind;
    struct client *client; /* NULL: profd's own, or the client has gone */
    uint64_t id;
    struct session_owner owner;       /* of the session that is meant */
    struct session_settings settings; /* START */
    uint64_t duration_ms;             /* START; 0: until stopped */
    struct trigger_set *triggers;     /* START; owned; NULL: none */
    int output_fd;                    /* CAPTURE; START: the folder of triggers; owned; or -1 */
    bool stop_after;                  /* CAPTURE */
    uint64_t last_trigger;            /* CAPTURE that stops: comes after that one; 0: not known */
    uint64_t timeout_ms;              /* CAPTURE */
    uint64_t since_ns;                /* CAPTURE: what was before is left out; 0: nothing is */
    bool is_raw;                      /* CAPTURE: json/raw_capture.h instead of JSON */
    struct capture_selection *selection; /* CAPTURE; owned; NULL: everything */
    struct request *next;
};

struct request_queue {
    struct request *current; /* being carried out */
    struct request *first, *last;
    unsigned waiting;
    unsigned awaited;    /* children whose acknowledgement is missing … */
    unsigned answer;     /* … which is this message */
    uv_timer_t deadline; /* of the round */
    uv_timer_t duration; /* of the session */
    uv_prepare_t kick;   /* begins the next request from the loop, never from inside a call */
};

int requests_init(struct daemon *profd);
void requests_close(struct daemon *profd);

/* Sees to it that the session pauses at its end_ns; and that it has none any more. */
void requests_time_session(struct daemon *profd);
void requests_end_time(struct daemon *profd);

/* Frees a REQUEST that was not added, with what it owns. */
void request_free(struct request *request);

/* Takes REQUEST (calloc'ed) over. -EBUSY when too many wait: it is freed, nothing was answered. */
int requests_add(struct daemon *profd, struct request *request);

/* A REQUEST_STOP or _PAUSE of OWNER's session that no client asked for. It waits however many do:
 * it was promised. */
void requests_add_own(struct daemon *profd, enum request_kind kind,
                      const struct session_owner *owner);

/* Begins the session that is always on, or a log line says why not. Nothing without --always, or
 * when it is on. */
void requests_ensure_standing(struct daemon *profd);

/* Process PID is no more, or another program: a session that it began is over. */
void requests_note_program_gone(struct daemon *profd, pid_t pid);

/* The current request is over: answers with ERROR and TEXT, frees it, begins the next. */
void requests_finish(struct daemon *profd, int error, const char *text);

/* CHILD acknowledged MESSAGE_KIND for GENERATION. */
void requests_note_acknowledged(struct daemon *profd, struct child *child, unsigned message_kind,
                                uint64_t generation);
/* CHILD cannot answer any more. */
void requests_note_gone(struct daemon *profd, struct child *child);
/* CLIENT went: its captures are cancelled, its other requests are carried out without an answer. */
void requests_note_client_gone(struct daemon *profd, struct client *client);

#endif
