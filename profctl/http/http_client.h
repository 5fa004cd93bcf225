/* Posts bodies to servers over HTTP or HTTPS, by libcurl: one request after the other.
 *
 * Redirects are not followed, no proxy is used, and a server that is silent for too long is given
 * up. What it says is never trusted to be short. One thread. */
#ifndef PROFD_PROFCTL_HTTP_CLIENT_H
#define PROFD_PROFCTL_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_client; /* opaque */

enum http_outcome {
    HTTP_DONE,
    HTTP_AWAY,    /* nobody took it, for reasons that pass or can be mended */
    HTTP_UNSURE,  /* it was sent, and nobody knows what became of it … */
    HTTP_FAILED,  /* … as the server met an error of its own, of which it may be the cause */
    HTTP_REFUSED, /* the server cannot take it, now or later */
    HTTP_STOPPED, /* by should_stop */
};

enum { HTTP_TEXT_BYTES = 400, HTTP_HEADERS_MAX = 8 };

struct http_answer {
    enum http_outcome outcome;
    long status;                /* of HTTP; 0: there was no answer */
    char text[HTTP_TEXT_BYTES]; /* one printable line: what went wrong; "" nothing */
    int error;                  /* of on_bytes; 0: none */
    uint64_t wait_s;            /* that the server wants to be left alone; 0: it did not say */
};

/* All is borrowed; what is NULL is left out. */
struct http_request {
    const char *server;                    /* as texts name it */
    const char *address;                   /* http://… or https://… */
    const char *headers[HTTP_HEADERS_MAX]; /* "Name: value"; the first NULL ends them */
    const char *ca_file; /* certificates that are trusted; NULL: those of the machine */
    const void *body;
    size_t body_bytes;
    bool is_to_come_once; /* so no connection is used that may have been closed */
    /* Takes the body of an answer that is no complaint as it comes; 0, or a negative errno that
     * ends the request. */
    int (*on_bytes)(void *context, const char *bytes, size_t count);
    /* Is told each header of the answer, terminated and cut at some length. */
    void (*on_header)(void *context, const char *line);
    void *context;
};

/* Adds HEADER, which is borrowed, to those of REQUEST, which has room for it; "" is none. */
void http_request_add_header(struct http_request *request, const char *header);

/* SHOULD_STOP (NULL: never) ends a request that is under way. NULL: no memory. */
struct http_client *http_client_create(bool (*should_stop)(void));
void http_client_destroy(struct http_client *client); /* NULL is allowed */

/* How long a server may take for an answer, 20 s without this call. */
void http_client_set_patience(struct http_client *client, uint64_t milliseconds);

/* By how many seconds the server's time of day is ahead of this machine's, as its last answer told
 * it; to about a second. 0: no answer told. */
int64_t http_client_clock_ahead(const struct http_client *client);

/* ANSWER is filled on every path. */
void http_client_post(struct http_client *client, const struct http_request *request,
                      struct http_answer *answer);

/* Whether LINE is the header NAME, which ends in ":". *VALUE is what stands behind it. */
bool http_header_is(const char *line, const char *name, const char **value);

/* What an answer with that status of HTTP means. Pure. */
enum http_outcome http_outcome_of_status(long status);

#endif
