/* Requests that wait for their turn, in the order of their arrival. Loop thread. */
#ifndef PROFD_DAEMON_REQUEST_QUEUE_H
#define PROFD_DAEMON_REQUEST_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/capture/captures.h"
#include "daemon/session.h"

struct capture_selection;
struct client;
struct trigger_set;

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
    struct session_owner owner;          /* of the session that the request is about */
    struct session_settings settings;    /* START */
    uint64_t duration_ms;                /* START; 0: until stopped */
    struct trigger_set *triggers;        /* START; owned; NULL: none */
    int output_fd;                       /* CAPTURE; START: the folder for triggers; owned; or -1 */
    bool stop_after;                     /* CAPTURE */
    uint64_t last_trigger;               /* CAPTURE that stops: waits for that one; 0: not known */
    uint64_t timeout_ms;                 /* CAPTURE */
    uint64_t since_ns;                   /* CAPTURE: what is older is left out; 0: nothing is */
    bool is_raw;                         /* CAPTURE: json/raw_capture.h instead of JSON */
    struct capture_selection *selection; /* CAPTURE; owned; NULL: everything */
    struct request *next;
};

/* Frees REQUEST, calloc'ed, with what it owns. */
void request_free(struct request *request);

/* The order for REQUEST, which is for a capture. The caller then owns the output; the selection
 * remains the request's. */
struct capture_order request_take_order(struct request *request);

/* A zeroed struct is empty. */
struct request_queue {
    struct request *first, *last;
    unsigned count;
};

/* Appends REQUEST, which is taken over. */
void request_queue_append(struct request_queue *queue, struct request *request);

/* Removes the request that LINK, a link of QUEUE, points to; the caller owns it. */
struct request *request_queue_take(struct request_queue *queue, struct request **link);

/* CLIENT has disconnected: its captures are freed; its other requests get no answer. */
void request_queue_forget_client(struct request_queue *queue, const struct client *client);

/* Whether a request to start OWNER's session is waiting. */
bool request_queue_has_start(const struct request_queue *queue, const struct session_owner *owner);

/* Frees all. */
void request_queue_clear(struct request_queue *queue);

#endif
