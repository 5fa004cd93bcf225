/* Serves one page over HTTP, as often as somebody asks for /metrics.
 *
 * libmicrohttpd speaks, on the loop that it is given. A connection is for one request, and is hung
 * up on after METRICS_PATIENCE_S, whatever it does: who never reads, or asks a byte at a time,
 * keeps others out for no longer. While there are as many as there may be, and others may be
 * waiting, it is after METRICS_CROWD_PATIENCE_MS. Loop thread. */
#ifndef PROFD_DAEMON_METRICS_SERVER_H
#define PROFD_DAEMON_METRICS_SERVER_H

#include <stddef.h>
#include <stdint.h>
#include <uv.h>

enum {
    METRICS_PATIENCE_S = 10,
    METRICS_CROWD_PATIENCE_MS = 200, /* who scrapes asks at once, and reads what it is told */
    METRICS_MOST_CONNECTIONS = 32,
    METRICS_PAGE_HOLDS_MS = 200,   /* so often a page is made at most, whoever asks, … */
    METRICS_PAGE_HOLDS_TIMES = 10, /* … and not before so many times what the last one took */
};

struct metrics_server;

/* What the server asks for. */
struct metrics_server_events {
    /* The page, to be freed by free(). 0 or a negative errno. */
    int (*make_page)(void *owner, char **out, size_t *bytes);
};

/* Hangs up on who came more than PATIENCE_MS ago from here on; for tests. */
void metrics_server_set_patience(struct metrics_server *server, uint64_t patience_ms);

/* Serves at LISTENING_FD, which stays the caller's and is open until metrics_server_close(). 0, or
 * a negative errno. */
int metrics_server_create(uv_loop_t *loop, int listening_fd,
                          const struct metrics_server_events *events, void *owner,
                          struct metrics_server **out);

/* Hangs up on everybody; the memory goes when the loop has run on. */
void metrics_server_close(struct metrics_server *server);

#endif
