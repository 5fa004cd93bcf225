/* Serves a profile, a page of it and the symbolication API over HTTP, to who knows a token: every
 * path begins with "/TOKEN/", anything else is not found.
 *
 *   GET  /TOKEN/               the page
 *   GET  /TOKEN/profile.json   the profile, for any origin: the Firefox Profiler fetches it
 *   POST /TOKEN/symbolicate/v5, /TOKEN/source/v1, /TOKEN/asm/v1   symbol_api.h, likewise
 *
 * libmicrohttpd speaks; the caller waits for its descriptor. One thread. */
#ifndef PROFD_PROFCTL_VIEW_SERVER_H
#define PROFD_PROFCTL_VIEW_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "profctl/view/library_list.h"

enum {
    VIEW_TOKEN_BYTES = 32 + 1,         /* hexadecimal digits, and the end */
    VIEW_MAX_REQUEST_BYTES = 64 << 20, /* of a question to the API */
    VIEW_MAX_CONNECTIONS = 64,
    VIEW_STRANGER_PATIENCE_S = 1, /* with clients that have not sent the token */
    VIEW_PATIENCE_S = 10,         /* with who has, and neither sends nor reads */
};

/* What is served; all of it is the caller's, and outlives the server. */
struct view_site {
    char token[VIEW_TOKEN_BYTES];
    int profile_fd;
    bool profile_is_gzip;
    int page_fd; /* HTML */
    struct library_list *libraries;
};

struct view_server; /* opaque */

/* A token that cannot be guessed. Returns 0 or a negative errno. */
int view_site_make_token(struct view_site *site);

/* Serves at LISTENING_FD, which belongs to the server afterwards, also when this fails. Returns 0
 * or a negative errno. */
int view_server_create(int listening_fd, const struct view_site *site, struct view_server **out);
void view_server_destroy(struct view_server *server);

/* Readable when view_server_work() has something to do. */
int view_server_fd(const struct view_server *server);

/* In how many ms there is something to do without that, at most MOST_MS. */
int view_server_due_ms(const struct view_server *server, int max_ms);

/* Does what there is to do, without waiting. To be called when it is due in any case. */
void view_server_work(struct view_server *server);

/* CLOCK_MONOTONIC of the last request that knew the token; of the begin when there was none. */
uint64_t view_server_last_request_ns(const struct view_server *server);

#endif
