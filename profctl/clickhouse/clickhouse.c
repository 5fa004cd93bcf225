#include "profctl/clickhouse/clickhouse.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/clickhouse/answer_signs.h"
#include "profctl/clickhouse/sql_text.h"
#include "profctl/http/secret_file.h"

enum { USER_HEADER_BYTES = CLICKHOUSE_NAME_BYTES + 32, SERVER_BYTES = CLICKHOUSE_HOST_BYTES + 8 };

struct clickhouse {
    struct clickhouse_url url;
    struct http_client *http;
    char server[SERVER_BYTES];
    char user_header[USER_HEADER_BYTES]; /* "": none */
    struct secret_header key;

    const struct clickhouse_request *request; /* the one at hand */
    struct clickhouse_answer *answer;
    struct answer_signs signs;
};

/* --- What comes back --- */

/* The number behind "NAME":" in LINE, which is terminated; 0: it has none. */
static uint64_t number_of(const char *line, const char *name)
{
    const char *place = strstr(line, name);

    return place != NULL ? strtoull(place + strlen(name), NULL, 10) : 0;
}

static void take_progress(struct clickhouse *clickhouse, const char *json)
{
    struct clickhouse_answer *answer = clickhouse->answer;
    uint64_t rows = number_of(json, "\"read_rows\":\""),
             bytes = number_of(json, "\"read_bytes\":\"");

    if (rows >= answer->read_rows) {
        answer->read_rows = rows;
        answer->read_bytes = bytes;
    }
    if (clickhouse->request->on_progress != NULL)
        clickhouse->request->on_progress(clickhouse->request->context, answer->read_rows,
                                         number_of(json, "\"total_rows\":\""), answer->read_bytes);
}

static void on_header(void *context, const char *line)
{
    struct clickhouse *clickhouse = context;
    const char *value;

    answer_signs_take_header(&clickhouse->signs, line);
    if (http_header_is(line, "X-ClickHouse-Progress:", &value) ||
        http_header_is(line, "X-ClickHouse-Summary:", &value))
        take_progress(clickhouse, value);
}

static int on_bytes(void *context, const char *bytes, size_t count)
{
    struct clickhouse *clickhouse = context;
    const struct clickhouse_request *request = clickhouse->request;

    answer_signs_take_body(&clickhouse->signs, bytes, count);
    return request->on_bytes != NULL ? request->on_bytes(request->context, bytes, count) : 0;
}

/* --- Requests --- */

static void add_escaped(struct sql_text *address, const char *text)
{
    char *escaped = curl_easy_escape(NULL, text, 0);

    if (escaped != NULL)
        sql_text_add(address, "%s", escaped);
    else
        address->error = -ENOMEM;
    curl_free(escaped);
}

/* SQL goes into the address where rows are the body. Without insert_distributed_sync, which newer
 * servers call distributed_foreground_insert, a Distributed table takes rows for a server that it
 * may never reach. */
static void make_address(const struct clickhouse *clickhouse, const char *sql,
                         struct sql_text *address)
{
    sql_text_add(address, "http%s://%s/?send_progress_in_http_headers=%d",
                 clickhouse->url.is_secure ? "s" : "", clickhouse->server,
                 clickhouse->request->on_progress != NULL);
    if (clickhouse->request->query_id != NULL)
        sql_text_add(address, "&query_id=%s", clickhouse->request->query_id);
    if (clickhouse->request->is_insert)
        sql_text_add(address, "&insert_distributed_sync=1");
    if (clickhouse->request->rows == NULL)
        return;
    sql_text_add(address, "&query=");
    add_escaped(address, sql);
}

static void post_request(struct clickhouse *clickhouse, const char *address, const char *sql)
{
    const struct clickhouse_request *asked = clickhouse->request;
    bool has_rows = asked->rows != NULL;
    struct http_request request = {
        .server = clickhouse->server,
        .address = address,
        .ca_file = clickhouse->url.ca_file[0] != '\0' ? clickhouse->url.ca_file : NULL,
        .headers = { "Content-Type: text/plain" },
        .body = has_rows ? asked->rows : sql,
        .body_bytes = has_rows ? asked->row_bytes : strlen(sql),
        .is_to_come_once = has_rows,
        .on_bytes = on_bytes,
        .on_header = on_header,
        .context = clickhouse,
    };

    http_request_add_header(&request, clickhouse->user_header);
    http_request_add_header(&request, clickhouse->key.text);
    http_request_add_header(&request, has_rows ? "Content-Encoding: gzip" : "");
    clickhouse->signs = (struct answer_signs){ 0 };
    http_client_post(clickhouse->http, &request, &clickhouse->answer->http);
    if (clickhouse->answer->http.outcome == HTTP_DONE)
        answer_signs_judge(&clickhouse->signs, clickhouse->server, has_rows,
                           &clickhouse->answer->http);
    else
        answer_signs_judge_failure(&clickhouse->signs, &clickhouse->answer->http);
    (void)secret_header_renew(&clickhouse->key, &clickhouse->answer->http); /* for the next try */
}

void clickhouse_ask(struct clickhouse *clickhouse, const char *sql,
                    const struct clickhouse_request *request, struct clickhouse_answer *answer)
{
    static const struct clickhouse_request nothing = { 0 };
    struct sql_text address = { 0 };

    *answer = (struct clickhouse_answer){ 0 };
    clickhouse->request = request != NULL ? request : &nothing;
    clickhouse->answer = answer;
    make_address(clickhouse, sql, &address);
    if (address.error == 0)
        post_request(clickhouse, sql_text_get(&address), sql);
    else
        answer->http = (struct http_answer){ .outcome = HTTP_AWAY, .text = "out of memory" };
    sql_text_free(&address);
}

struct short_text {
    char *bytes;
    size_t length, capacity;
};

static int keep_text(void *context, const char *bytes, size_t count)
{
    struct short_text *text = context;
    size_t room = text->capacity - 1 - text->length;

    if (count > room)
        count = room;
    memcpy(text->bytes + text->length, bytes, count);
    text->length += count;
    return 0;
}

void clickhouse_ask_text(struct clickhouse *clickhouse, const char *sql, const char *query_id,
                         char *out, size_t capacity, struct clickhouse_answer *answer)
{
    struct short_text text = { out, 0, capacity };
    const struct clickhouse_request request = { .query_id = query_id,
                                                .on_bytes = keep_text,
                                                .context = &text };

    clickhouse_ask(clickhouse, sql, &request, answer);
    if (text.length > 0 && out[text.length - 1] == '\n')
        text.length--;
    out[text.length] = '\0';
}

/* --- Life cycle --- */

static bool set_up_http(struct clickhouse *clickhouse, struct failure *failure)
{
    const struct clickhouse_url *url = &clickhouse->url;

    clickhouse->key =
        (struct secret_header){ url->password_file, "the password", "X-ClickHouse-Key: ", "" };
    if (!secret_header_read(&clickhouse->key, failure))
        return false;
    if (url->user[0] != '\0')
        snprintf(clickhouse->user_header, USER_HEADER_BYTES, "X-ClickHouse-User: %s", url->user);
    snprintf(clickhouse->server, SERVER_BYTES, "%s:%u", url->host, url->port);
    if (clickhouse->http == NULL)
        failure_set(failure, EXIT_CODE_FAILED, "cannot set up libcurl: out of memory");
    return clickhouse->http != NULL;
}

bool clickhouse_open(const struct clickhouse_url *url, bool (*should_stop)(void),
                     struct clickhouse **out, struct failure *failure)
{
    struct clickhouse *clickhouse = calloc(1, sizeof(*clickhouse));

    if (clickhouse == NULL) {
        failure_set(failure, EXIT_CODE_FAILED, "out of memory");
        return false;
    }
    clickhouse->url = *url;
    clickhouse->http = http_client_create(should_stop);
    if (!set_up_http(clickhouse, failure)) {
        clickhouse_close(clickhouse);
        return false;
    }
    *out = clickhouse;
    return true;
}

void clickhouse_close(struct clickhouse *clickhouse)
{
    if (clickhouse == NULL)
        return;
    http_client_destroy(clickhouse->http);
    secret_header_wipe(&clickhouse->key);
    free(clickhouse);
}

void clickhouse_set_patience(struct clickhouse *clickhouse, uint64_t milliseconds)
{
    http_client_set_patience(clickhouse->http, milliseconds);
}

int64_t clickhouse_clock_ahead(const struct clickhouse *clickhouse)
{
    return http_client_clock_ahead(clickhouse->http);
}

const struct clickhouse_url *clickhouse_get_url(const struct clickhouse *clickhouse)
{
    return &clickhouse->url;
}
