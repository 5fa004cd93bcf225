/* Serves one page over HTTP, as often as somebody asks for /metrics.
 *
 * libmicrohttpd speaks, on the loop that it is given. A connection is for one request, and is
 * closed after METRICS_PATIENCE_S in any case: a peer that never reads, or sends a byte at a time,
 * keeps others out for no longer. While all places are taken, so that others may be waiting, it is
 * closed after METRICS_CROWD_PATIENCE_MS. Loop thread. */
#ifndef PROFD_DAEMON_METRICS_SERVER_H
#define PROFD_DAEMON_METRICS_SERVER_H

#include <stddef.h>
#include <stdint.h>
#include <uv.h>

enum {
    METRICS_PATIENCE_S = 10,
    METRICS_CROWD_PATIENCE_MS = 200, /* a scraper asks and reads at once */
    METRICS_MOST_CONNECTIONS = 32,
    METRICS_PAGE_HOLDS_MS = 200,   /* a page is made no more often than this, … */
    METRICS_PAGE_HOLDS_TIMES = 10, /* … nor before so many times the time that the last one took */
};

struct metrics_server;

/* What the server asks for. */
struct metrics_server_events {
    /* The page, to be freed by free(). 0 or a negative errno. */
    int (*make_page)(void *owner, char **out, size_t *bytes);
};

/* Closes connections after PATIENCE_MS from now on; for tests. */
void metrics_server_set_patience(struct metrics_server *server, uint64_t patience_ms);

/* Serves at LISTENING_FD, which stays the caller's and is open until metrics_server_close(). 0, or
 * a negative errno. */
int metrics_server_create(uv_loop_t *loop, int listening_fd,
                          const struct metrics_server_events *events, void *owner,
                          struct metrics_server **out);

/* Closes all connections; the memory is freed by the loop. */
void metrics_server_close(struct metrics_server *server);

#endif
