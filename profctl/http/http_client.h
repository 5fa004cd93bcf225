/* Posts bodies to servers over HTTP or HTTPS with libcurl, one request at a time.
 *
 * Redirects are not followed, no proxy is used, and a request fails if the server is silent for too
 * long. The length of an answer is never trusted. One thread. */
#ifndef PROFD_PROFCTL_HTTP_CLIENT_H
#define PROFD_PROFCTL_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_client; /* opaque */

enum http_outcome {
    HTTP_DONE,
    HTTP_AWAY,    /* not delivered, for reasons that pass or can be fixed */
    HTTP_UNSURE,  /* sent, with unknown result … */
    HTTP_FAILED,  /* … because of an internal server error, possibly caused by it */
    HTTP_REFUSED, /* the server will never take it */
    HTTP_STOPPED, /* by should_stop */
};

enum {
    HTTP_TEXT_BYTES = 400,
    HTTP_HEADERS_MAX = 8,
    HTTP_MOST_WAIT_S = 60 * 60, /* that a server is granted */
};

struct http_answer {
    enum http_outcome outcome;
    long status;                /* HTTP status; 0: there was no answer */
    char text[HTTP_TEXT_BYTES]; /* one printable line that says what went wrong; "": nothing */
    int error;                  /* of on_bytes; 0: none */
    uint64_t wait_s;            /* how long the server asks to wait; 0: it did not say */
};

/* Everything is borrowed; NULL members are left out. */
struct http_request {
    const char *server;                    /* for messages */
    const char *address;                   /* http://… or https://… */
    const char *headers[HTTP_HEADERS_MAX]; /* "Name: value"; the first NULL ends them */
    const char *ca_file;                   /* trusted certificates; NULL: those of the machine */
    const void *body;
    size_t body_bytes;
    bool is_to_come_once; /* the request must not arrive twice: no connection is reused */
    /* Receives the body of a successful answer as it arrives; returns 0, or a negative errno, which
     * ends the request. */
    int (*on_bytes)(void *context, const char *bytes, size_t count);
    /* Receives each header of the answer, terminated, and cut if it is too long. */
    void (*on_header)(void *context, const char *line);
    void *context;
};

/* Adds HEADER, which is borrowed, to those of REQUEST, which must have room for it; "" is
 * ignored. */
void http_request_add_header(struct http_request *request, const char *header);

/* Creates a client. SHOULD_STOP (NULL: never) ends a running request. Returns NULL if memory is
 * exhausted. */
struct http_client *http_client_create(bool (*should_stop)(void));
void http_client_destroy(struct http_client *client); /* NULL is allowed */

/* Sets how long a server may take to answer; the default is 20 s. */
void http_client_set_patience(struct http_client *client, uint64_t milliseconds);

/* Returns by how many seconds the server's wall clock is ahead of this machine's, as of the last
 * answer, to about a second. 0 if no answer gave a time that can be right. */
int64_t http_client_clock_ahead(const struct http_client *client);

/* Sends REQUEST and waits for the answer. ANSWER is filled on every path. */
void http_client_post(struct http_client *client, const struct http_request *request,
                      struct http_answer *answer);

/* Returns whether LINE is the header NAME, which ends in ":". *VALUE is what follows it. */
bool http_header_is(const char *line, const char *name, const char **value);

/* Reads VALUE, a date as servers write it, as *UNIX_S. Returns false if it is none, or of a year
 * before 2020 or behind 2100, which no clock shows that was ever set. */
bool http_date_read(const char *value, int64_t *unix_s);

/* Returns how many seconds the header Retry-After asks to wait with VALUE, which is a number of
 * them or a date, when the server's clock shows NOW_S: at most HTTP_MOST_WAIT_S; 0: none. Pure. */
uint64_t http_retry_after(const char *value, int64_t now_s);

/* Returns what an answer with that HTTP status means. Pure. */
enum http_outcome http_outcome_of_status(long status);

#endif
