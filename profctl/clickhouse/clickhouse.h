/* A client of a ClickHouse server over HTTP (profctl/http/http_client.h), one request at a time.
 * One thread. */
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
    uint64_t read_rows, read_bytes; /* by the server, as last reported */
};

/* The parameters of a request besides its SQL. A zeroed struct has none. */
struct clickhouse_request {
    /* The name of this request, of letters and digits. The server refuses the request while another
     * one with that name is running. NULL: none. */
    const char *query_id;
    /* It is an INSERT, which is to be answered when the rows are in their tables, also in those of
     * other servers of a cluster. */
    bool is_insert;
    const void *rows; /* of an INSERT without a SELECT: gzipped, borrowed */
    size_t row_bytes;
    /* Receives the answer as it arrives; returns 0, or a negative errno, which ends the request.
     * NULL: the answer is ignored. */
    int (*on_bytes)(void *context, const char *bytes, size_t count);
    /* Called with what the server has read so far, and of how many rows (0: not known). May be
     * NULL. */
    void (*on_progress)(void *context, uint64_t rows, uint64_t total_rows, uint64_t bytes);
    void *context;
};

/* Creates a client; opens no connection yet. SHOULD_STOP (NULL: never) ends a running request.
 * Returns false with FAILURE filled if the password file cannot be read or memory is exhausted. */
bool clickhouse_open(const struct clickhouse_url *url, bool (*should_stop)(void),
                     struct clickhouse **out, struct failure *failure);
void clickhouse_close(struct clickhouse *clickhouse); /* NULL is allowed */

/* Sets how long the server may take to answer; the default is 20 s. */
void clickhouse_set_patience(struct clickhouse *clickhouse, uint64_t milliseconds);

/* Returns by how many seconds the server's wall clock is ahead of this machine's, as of the last
 * answer, to about a second. 0 if no answer gave the time. */
int64_t clickhouse_clock_ahead(const struct clickhouse *clickhouse);

const struct clickhouse_url *clickhouse_get_url(const struct clickhouse *clickhouse);

/* Sends a request. SQL must qualify table names with their database. ANSWER is filled on every
 * path; it is HTTP_DONE only if a ClickHouse gave it, and did not fail behind its headers: on_bytes
 * may have received such an answer. */
void clickhouse_ask(struct clickhouse *clickhouse, const char *sql,
                    const struct clickhouse_request *request, struct clickhouse_answer *answer);

/* Like clickhouse_ask(), for an answer that is one short text: stores its first CAPACITY - 1 bytes,
 * terminated, without the final newline. QUERY_ID is as in struct clickhouse_request. */
void clickhouse_ask_text(struct clickhouse *clickhouse, const char *sql, const char *query_id,
                         char *out, size_t capacity, struct clickhouse_answer *answer);

#endif
