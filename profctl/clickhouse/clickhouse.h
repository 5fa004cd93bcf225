/* A conversation with a ClickHouse over HTTP (profctl/http/http_client.h): one request after the
 * other. One thread. */
#ifndef PROFD_PROFCTL_CLICKHOUSE_H
#define PROFD_PROFCTL_CLICKHOUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/clickhouse_url.h"
#include "profctl/failure.h"
#include "profctl/http/http_client.h"

struct clickhouse; /* opaque */

struct clickhouse_answer {
    struct http_answer http;
    uint64_t read_rows, read_bytes; /* by the server, as it told last */
};

/* What a request takes besides its SQL; a zeroed struct is nothing. */
struct clickhouse_request {
    /* A name of this request, which the server refuses while one of that name is under way; of
     * letters and digits. NULL: none. */
    const char *query_id;
    const void *rows; /* of an INSERT: gzipped, borrowed */
    size_t row_bytes;
    /* Takes the answer as it comes; 0, or a negative errno that ends the request. NULL: it is of no
     * interest. */
    int (*on_bytes)(void *context, const char *bytes, size_t count);
    /* Is told what the server has read so far, and of how many rows (0: not known). NULL: nobody
     * is. */
    void (*on_progress)(void *context, uint64_t rows, uint64_t total_rows, uint64_t bytes);
    void *context;
};

/* Opens no connection yet. SHOULD_STOP (NULL: never) ends a request that is under way. False with
 * FAILURE filled: the password's file cannot be read, or no memory. */
bool clickhouse_open(const struct clickhouse_url *url, bool (*should_stop)(void),
                     struct clickhouse **out, struct failure *failure);
void clickhouse_close(struct clickhouse *clickhouse); /* NULL is allowed */

/* How long the server may take for an answer, 20 s without this call. */
void clickhouse_set_patience(struct clickhouse *clickhouse, uint64_t milliseconds);

/* By how many seconds the server's time of day is ahead of this machine's, as its last answer told
 * it; to about a second. 0: no answer told. */
int64_t clickhouse_clock_ahead(const struct clickhouse *clickhouse);

const struct clickhouse_url *clickhouse_get_url(const struct clickhouse *clickhouse);

/* SQL names tables with their database. ANSWER is filled on every path. */
void clickhouse_ask(struct clickhouse *clickhouse, const char *sql,
                    const struct clickhouse_request *request, struct clickhouse_answer *answer);

/* The same where the answer is one short text: the first CAPACITY - 1 bytes, terminated, without a
 * newline at the end. QUERY_ID as above. */
void clickhouse_ask_text(struct clickhouse *clickhouse, const char *sql, const char *query_id,
                         char *out, size_t capacity, struct clickhouse_answer *answer);

#endif
