#include "profctl/clickhouse/clickhouse.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "profctl/clickhouse/sql_text.h"
#include "profctl/printable.h"

enum {
    CONNECT_SECONDS = 5,
    USUAL_PATIENCE_MS = 20 * 1000,
    PASSWORD_BYTES = 256,
    HEADER_BYTES = PASSWORD_BYTES + 64,
    ADDRESS_BYTES = CLICKHOUSE_HOST_BYTES + 64,
};

struct clickhouse {
    struct clickhouse_url url;
    CURL *curl;
    struct curl_slist *headers, *gzip_headers; /* who we are; the same, and what the body is */
    bool (*should_stop)(void);
    uint64_t patience_ms;
    int64_t clock_ahead_s;

    const struct clickhouse_request *request; /* the one at hand */
    struct clickhouse_answer *answer;
    long status;        /* of HTTP; 0: none yet */
    size_t error_bytes; /* of what the server says is wrong */
};

/* --- What comes back --- */

static bool is_header(const char *line, size_t length, const char *name, const char **value)
{
    *value = line + strlen(name);
    return length > strlen(name) && strncasecmp(line, name, strlen(name)) == 0;
}

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

static size_t on_header(char *bytes, size_t size, size_t count, void *context)
{
    struct clickhouse *clickhouse = context;
    char line[512];
    const char *value;
    size_t length = size * count < sizeof(line) ? size * count : sizeof(line) - 1;

    memcpy(line, bytes, length);
    line[length] = '\0';
    if (is_header(line, length, "Date:", &value)) {
        time_t seconds = curl_getdate(value, NULL);
        if (seconds > 0)
            clickhouse->clock_ahead_s = seconds - time(NULL);
    }
    if (is_header(line, length, "X-ClickHouse-Progress:", &value) ||
        is_header(line, length, "X-ClickHouse-Summary:", &value))
        take_progress(clickhouse, value);
    return size * count;
}

static void keep_complaint(struct clickhouse *clickhouse, const char *bytes, size_t count)
{
    size_t room = CLICKHOUSE_TEXT_BYTES - 1 - clickhouse->error_bytes;

    if (count > room)
        count = room;
    memcpy(clickhouse->answer->text + clickhouse->error_bytes, bytes, count);
    clickhouse->error_bytes += count;
    clickhouse->answer->text[clickhouse->error_bytes] = '\0';
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
    struct clickhouse *clickhouse = context;
    const struct clickhouse_request *request = clickhouse->request;

    curl_easy_getinfo(clickhouse->curl, CURLINFO_RESPONSE_CODE, &clickhouse->status);
    if (clickhouse->status != 200) {
        keep_complaint(clickhouse, bytes, size * count);
        return size * count;
    }
    if (request->on_bytes != NULL)
        clickhouse->answer->error = request->on_bytes(request->context, bytes, size * count);
    return clickhouse->answer->error == 0 ? size * count : 0;
}

static int on_tick(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    const struct clickhouse *clickhouse = context;

    (void)a, (void)b, (void)c, (void)d;
    return clickhouse->should_stop != NULL && clickhouse->should_stop();
}

/* --- What became of it --- */

static bool never_arrived(CURLcode code)
{
    return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
           code == CURLE_COULDNT_RESOLVE_PROXY;
}

/* What the server says it cannot take (400, 413) it will not take later. Other complaints are about
 * who asks, or where, and can be mended; too many queries, no memory and the like pass. */
static enum clickhouse_outcome outcome_of_status(long status)
{
    if (status == 200)
        return CLICKHOUSE_DONE;
    if (status == 400 || status == 413)
        return CLICKHOUSE_REFUSED;
    return status == 408 || status >= 500 ? CLICKHOUSE_UNSURE : CLICKHOUSE_AWAY;
}

static void describe_status(struct clickhouse *clickhouse, struct clickhouse_answer *answer)
{
    char complaint[CLICKHOUSE_TEXT_BYTES];

    memcpy(complaint, answer->text, sizeof(complaint));
    complaint[strcspn(complaint, "\r\n")] = '\0';
    if (clickhouse->status >= 300 && clickhouse->status < 400)
        snprintf(answer->text, sizeof(answer->text),
                 "%.80s answers with a redirect, which is not followed; name the server itself",
                 clickhouse->url.host);
    else
        snprintf(answer->text, sizeof(answer->text), "%.80s answers %ld%s%.280s",
                 clickhouse->url.host, clickhouse->status, complaint[0] != '\0' ? ": " : "",
                 complaint);
    (void)make_printable(answer->text);
}

static void settle(struct clickhouse *clickhouse, CURLcode code)
{
    struct clickhouse_answer *answer = clickhouse->answer;

    curl_easy_getinfo(clickhouse->curl, CURLINFO_RESPONSE_CODE, &clickhouse->status);
    if (code == CURLE_OK) {
        answer->outcome = outcome_of_status(clickhouse->status);
        if (answer->outcome != CLICKHOUSE_DONE)
            describe_status(clickhouse, answer);
        return;
    }
    answer->outcome = code == CURLE_ABORTED_BY_CALLBACK ? CLICKHOUSE_STOPPED
                      : never_arrived(code)             ? CLICKHOUSE_AWAY
                                                        : CLICKHOUSE_UNSURE;
    snprintf(answer->text, sizeof(answer->text), "%s:%u: %s", clickhouse->url.host,
             clickhouse->url.port,
             answer->error < 0 ? strerror(-answer->error) : curl_easy_strerror(code));
}

/* --- Requests --- */

static void add_escaped(struct clickhouse *clickhouse, struct sql_text *address, const char *text)
{
    char *escaped = curl_easy_escape(clickhouse->curl, text, 0);

    if (escaped != NULL)
        sql_text_add(address, "%s", escaped);
    else
        address->error = -ENOMEM;
    curl_free(escaped);
}

/* SQL goes into the address where rows are the body. */
static void make_address(struct clickhouse *clickhouse, const char *sql,
                         const struct clickhouse_request *request, struct sql_text *address)
{
    const struct clickhouse_url *url = &clickhouse->url;

    sql_text_add(address, "http://%s:%u/?send_progress_in_http_headers=%d", url->host, url->port,
                 request->on_progress != NULL);
    if (request->rows == NULL)
        return;
    sql_text_add(address, "&query=");
    add_escaped(clickhouse, address, sql);
}

static CURLcode perform(struct clickhouse *clickhouse, const char *address, const char *sql)
{
    CURL *curl = clickhouse->curl;
    const struct clickhouse_request *request = clickhouse->request;
    const void *body = request->rows != NULL ? request->rows : sql;
    size_t body_bytes = request->rows != NULL ? request->row_bytes : strlen(sql);

    curl_easy_reset(curl);
    curl_easy_setopt(curl, CURLOPT_URL, address);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    /* On an old connection libcurl would send rows again by itself when it hears nothing. */
    curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, request->rows != NULL ? 1L : 0L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)clickhouse->patience_ms);
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body_bytes);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER,
                     request->rows != NULL ? clickhouse->gzip_headers : clickhouse->headers);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, clickhouse);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, clickhouse);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_tick);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, clickhouse);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    return curl_easy_perform(curl);
}

void clickhouse_ask(struct clickhouse *clickhouse, const char *sql,
                    const struct clickhouse_request *request, struct clickhouse_answer *answer)
{
    static const struct clickhouse_request nothing = { 0 };
    struct sql_text address = { 0 };

    *answer = (struct clickhouse_answer){ 0 };
    clickhouse->request = request != NULL ? request : &nothing;
    clickhouse->answer = answer;
    clickhouse->status = 0;
    clickhouse->error_bytes = 0;
    make_address(clickhouse, sql, clickhouse->request, &address);
    settle(clickhouse, address.error == 0 ? perform(clickhouse, sql_text_get(&address), sql)
                                          : CURLE_OUT_OF_MEMORY);
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

void clickhouse_ask_text(struct clickhouse *clickhouse, const char *sql, char *out, size_t capacity,
                         struct clickhouse_answer *answer)
{
    struct short_text text = { out, 0, capacity };
    const struct clickhouse_request request = { .on_bytes = keep_text, .context = &text };

    clickhouse_ask(clickhouse, sql, &request, answer);
    if (text.length > 0 && out[text.length - 1] == '\n')
        text.length--;
    out[text.length] = '\0';
}

/* --- Life cycle --- */

/* The first line of the file at PATH. */
static bool read_password(const char *path, char password[PASSWORD_BYTES], struct failure *failure)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, password, PASSWORD_BYTES - 1) : -1;

    if (length < 0)
        failure_set(failure, EXIT_CODE_FAILED, "cannot read the password in %s: %s", path,
                    strerror(errno));
    else
        password[length] = '\0';
    if (fd >= 0)
        close(fd);
    if (length >= 0)
        password[strcspn(password, "\r\n")] = '\0';
    return length >= 0;
}

static bool add_header(struct curl_slist **list, const char *text)
{
    struct curl_slist *longer = curl_slist_append(*list, text);

    if (longer != NULL)
        *list = longer;
    return longer != NULL;
}

static bool make_headers(struct clickhouse *clickhouse, struct curl_slist **list,
                         const char *password)
{
    char line[HEADER_BYTES];
    /* Without "Expect" the server is not asked first whether it wants the body. */
    bool is_made = add_header(list, "Expect:") && add_header(list, "Content-Type: text/plain");

    if (clickhouse->url.user[0] != '\0') {
        snprintf(line, sizeof(line), "X-ClickHouse-User: %s", clickhouse->url.user);
        is_made = is_made && add_header(list, line);
    }
    if (password[0] != '\0') {
        snprintf(line, sizeof(line), "X-ClickHouse-Key: %s", password);
        is_made = is_made && add_header(list, line);
    }
    explicit_bzero(line, sizeof(line));
    return is_made;
}

static bool set_up(struct clickhouse *clickhouse, struct failure *failure)
{
    char password[PASSWORD_BYTES] = "";
    const char *file = clickhouse->url.password_file;

    if (file[0] != '\0' && !read_password(file, password, failure))
        return false;
    clickhouse->curl = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? curl_easy_init() : NULL;
    bool is_done = clickhouse->curl != NULL &&
                   make_headers(clickhouse, &clickhouse->headers, password) &&
                   make_headers(clickhouse, &clickhouse->gzip_headers, password) &&
                   add_header(&clickhouse->gzip_headers, "Content-Encoding: gzip");
    explicit_bzero(password, sizeof(password));
    if (!is_done)
        failure_set(failure, EXIT_CODE_FAILED, "cannot set up libcurl: out of memory");
    return is_done;
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
    clickhouse->should_stop = should_stop;
    clickhouse->patience_ms = USUAL_PATIENCE_MS;
    if (!set_up(clickhouse, failure)) {
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
    curl_easy_cleanup(clickhouse->curl);
    curl_slist_free_all(clickhouse->headers);
    curl_slist_free_all(clickhouse->gzip_headers);
    free(clickhouse);
}

void clickhouse_set_patience(struct clickhouse *clickhouse, uint64_t milliseconds)
{
    clickhouse->patience_ms = milliseconds;
}

int64_t clickhouse_clock_ahead(const struct clickhouse *clickhouse)
{
    return clickhouse->clock_ahead_s;
}

const struct clickhouse_url *clickhouse_get_url(const struct clickhouse *clickhouse)
{
    return &clickhouse->url;
}
