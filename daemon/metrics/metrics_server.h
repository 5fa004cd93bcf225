/* Serves one page over HTTP, at /metrics.
 *
 * Runs libmicrohttpd on the given loop. A connection serves one request, and is closed after
 * METRICS_PATIENCE_S in any case, so that a peer that never reads, or sends one byte at a time,
 * cannot keep others out for longer. While all places are taken, so that others may be waiting, it
 * is closed after METRICS_CROWD_PATIENCE_MS. Loop thread. */
#ifndef PROFD_DAEMON_METRICS_SERVER_H
#define PROFD_DAEMON_METRICS_SERVER_H

#include <stddef.h>
#include <stdint.h>
#include <uv.h>

enum {
    METRICS_PATIENCE_S = 10,
    METRICS_CROWD_PATIENCE_MS = 200, /* a scraper sends and reads at once */
    METRICS_MOST_CONNECTIONS = 32,
    METRICS_PAGE_HOLDS_MS = 200,   /* a page is reused for this long, … */
    METRICS_PAGE_HOLDS_TIMES = 10, /* … and for this many times the time it took to make */
};

struct metrics_server;

/* What the server asks for. */
struct metrics_server_events {
    /* Makes the page, to be freed with free(). Returns 0 or a negative errno. */
    int (*make_page)(void *owner, char **out, size_t *bytes);
};

/* From now on, closes connections after PATIENCE_MS; for tests. */
void metrics_server_set_patience(struct metrics_server *server, uint64_t patience_ms);

/* Serves at LISTENING_FD, which remains the caller's and must stay open until
 * metrics_server_close(). Returns 0 or a negative errno. */
int metrics_server_create(uv_loop_t *loop, int listening_fd,
                          const struct metrics_server_events *events, void *owner,
                          struct metrics_server **out);

/* Closes all connections; the loop frees the memory. */
void metrics_server_close(struct metrics_server *server);

#endif
