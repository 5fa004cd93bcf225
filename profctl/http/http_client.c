#include "profctl/http/http_client.h"

#include <assert.h>
#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "common/short_file.h"
#include "profctl/printable.h"

/* The years 2020 to 2100. */
#define FIRST_BELIEVED_S INT64_C(1577836800)
#define LAST_BELIEVED_S  INT64_C(4133980800)

enum { CONNECT_SECONDS = 5, USUAL_PATIENCE_MS = 20 * 1000, LINE_BYTES = 512 };

struct http_client {
    CURL *curl;
    bool (*should_stop)(void);
    uint64_t patience_ms;
    int64_t clock_ahead_s;

    const struct http_request *request; /* the one at hand */
    struct http_answer *answer;
    long status;             /* of HTTP; 0: none yet */
    size_t complaint_length; /* of what the server says is wrong */
    char retry_after[64];    /* the header of that name; "": none */
};

/* --- What comes back --- */

bool http_header_is(const char *line, const char *name, const char **value)
{
    size_t length = strlen(name);

    if (strncasecmp(line, name, length) != 0)
        return false;
    *value = line + length + strspn(line + length, " \t");
    return true;
}

bool http_date_read(const char *value, int64_t *unix_s)
{
    *unix_s = curl_getdate(value, NULL);
    return *unix_s >= FIRST_BELIEVED_S && *unix_s < LAST_BELIEVED_S;
}

uint64_t http_retry_after(const char *value, int64_t now_s)
{
    size_t digits = strspn(value, "0123456789");
    uint64_t wait_s = 0;
    int64_t until_s;

    if (digits > 0 && value[digits + strspn(value + digits, " \t\r\n")] == '\0')
        wait_s = strtoull(value, NULL, 10);
    else if (http_date_read(value, &until_s) && until_s > now_s)
        wait_s = (uint64_t)(until_s - now_s);
    return wait_s < HTTP_MOST_WAIT_S ? wait_s : HTTP_MOST_WAIT_S;
}

static void note_header(struct http_client *client, const char *line)
{
    const char *value;
    int64_t unix_s;

    if (http_header_is(line, "Date:", &value) && http_date_read(value, &unix_s))
        client->clock_ahead_s = unix_s - time(NULL);
    if (http_header_is(line, "Retry-After:", &value))
        snprintf(client->retry_after, sizeof(client->retry_after), "%s", value);
}

static size_t on_header(char *bytes, size_t size, size_t count, void *context)
{
    struct http_client *client = context;
    const struct http_request *request = client->request;
    char line[LINE_BYTES];
    size_t length = size * count < sizeof(line) ? size * count : sizeof(line) - 1;

    memcpy(line, bytes, length);
    line[length] = '\0';
    note_header(client, line);
    if (request->on_header != NULL)
        request->on_header(request->context, line);
    return size * count;
}

static void keep_complaint(struct http_client *client, const char *bytes, size_t count)
{
    size_t room = HTTP_TEXT_BYTES - 1 - client->complaint_length;

    if (count > room)
        count = room;
    memcpy(client->answer->text + client->complaint_length, bytes, count);
    client->complaint_length += count;
    client->answer->text[client->complaint_length] = '\0';
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
    struct http_client *client = context;
    const struct http_request *request = client->request;

    curl_easy_getinfo(client->curl, CURLINFO_RESPONSE_CODE, &client->status);
    if (http_outcome_of_status(client->status) != HTTP_DONE)
        keep_complaint(client, bytes, size * count);
    else if (request->on_bytes != NULL)
        client->answer->error = request->on_bytes(request->context, bytes, size * count);
    return client->answer->error == 0 ? size * count : 0;
}

static int on_tick(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    const struct http_client *client = context;

    (void)a, (void)b, (void)c, (void)d;
    return client->should_stop != NULL && client->should_stop();
}

/* --- What became of it --- */

/* What the server says it cannot take it will not take later. Other complaints are about who asks,
 * or where, and can be mended; too many requests and the like pass. A proxy says 502 to 504 for a
 * server that is ill, whatever it was asked. */
enum http_outcome http_outcome_of_status(long status)
{
    if (status >= 200 && status < 300)
        return HTTP_DONE;
    if (status == 400 || status == 413 || status == 415 || status == 422)
        return HTTP_REFUSED;
    if (status == 408 || (status >= 502 && status <= 504))
        return HTTP_UNSURE;
    return status >= 500 ? HTTP_FAILED : HTTP_AWAY;
}

/* The connection never came to be, or nothing was sent over it. */
static bool never_arrived(CURLcode code)
{
    return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
           code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_SSL_CONNECT_ERROR ||
           code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE;
}

static void describe_status(struct http_client *client)
{
    struct http_answer *answer = client->answer;
    char complaint[HTTP_TEXT_BYTES];

    memcpy(complaint, answer->text, sizeof(complaint));
    complaint[strcspn(complaint, "\r\n")] = '\0';
    if (client->status >= 300 && client->status < 400)
        snprintf(answer->text, sizeof(answer->text),
                 "%.80s answers with a redirect, which is not followed; name the server itself",
                 client->request->server);
    else
        snprintf(answer->text, sizeof(answer->text), "%.80s answers %ld%s%.280s",
                 client->request->server, client->status, complaint[0] != '\0' ? ": " : "",
                 complaint);
    (void)make_printable(answer->text);
}

static void settle_answer(struct http_client *client, CURLcode code)
{
    struct http_answer *answer = client->answer;

    curl_easy_getinfo(client->curl, CURLINFO_RESPONSE_CODE, &client->status);
    answer->wait_s = http_retry_after(client->retry_after, time(NULL) + client->clock_ahead_s);
    if (code == CURLE_OK) {
        answer->status = client->status;
        answer->outcome = http_outcome_of_status(client->status);
        if (answer->outcome != HTTP_DONE)
            describe_status(client);
        return;
    }
    answer->outcome = code == CURLE_ABORTED_BY_CALLBACK ? HTTP_STOPPED
                      : never_arrived(code)             ? HTTP_AWAY
                                                        : HTTP_UNSURE;
    snprintf(answer->text, sizeof(answer->text), "%.200s: %s", client->request->server,
             answer->error < 0 ? strerror(-answer->error) : curl_easy_strerror(code));
}

/* --- Requests --- */

void http_request_add_header(struct http_request *request, const char *header)
{
    size_t i = 0;

    if (header[0] == '\0')
        return;
    while (i < HTTP_HEADERS_MAX && request->headers[i] != NULL)
        i++;
    assert(i < HTTP_HEADERS_MAX);
    request->headers[i] = header;
}

/* Without "Expect" the server is not asked first whether it wants the body. */
static struct curl_slist *make_headers(const struct http_request *request)
{
    struct curl_slist *list = curl_slist_append(NULL, "Expect:");

    for (size_t i = 0; list != NULL && i < HTTP_HEADERS_MAX && request->headers[i] != NULL; i++) {
        struct curl_slist *longer = curl_slist_append(list, request->headers[i]);
        if (longer == NULL)
            curl_slist_free_all(list);
        list = longer;
    }
    return list;
}

static void set_answer(struct http_client *client)
{
    CURL *curl = client->curl;

    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, client);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, client);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_tick);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, client);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
}

static CURLcode perform_request(struct http_client *client)
{
    const struct http_request *request = client->request;
    struct curl_slist *headers = make_headers(request);
    CURL *curl = client->curl;

    if (headers == NULL)
        return CURLE_OUT_OF_MEMORY;
    curl_easy_reset(curl);
    curl_easy_setopt(curl, CURLOPT_URL, request->address);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    /* On an old connection libcurl would send the body again by itself when it hears nothing. */
    curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, request->is_to_come_once ? 1L : 0L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)client->patience_ms);
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_bytes);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    if (request->ca_file != NULL)
        curl_easy_setopt(curl, CURLOPT_CAINFO, request->ca_file);
    set_answer(client);
    CURLcode code = curl_easy_perform(curl);
    curl_slist_free_all(headers);
    return code;
}

/* libcurl would wait for a pipe, which no time-out ends. */
static bool has_certificates(const struct http_request *request, struct http_answer *answer)
{
    const char *why;

    if (request->ca_file == NULL || short_file_is_regular(request->ca_file, &why))
        return true;
    answer->outcome = HTTP_AWAY;
    snprintf(answer->text, sizeof(answer->text), "cannot read the certificates in %.200s: %s",
             request->ca_file, why);
    return false;
}

void http_client_post(struct http_client *client, const struct http_request *request,
                      struct http_answer *answer)
{
    *answer = (struct http_answer){ 0 };
    client->request = request;
    client->answer = answer;
    client->status = 0;
    client->complaint_length = 0;
    client->retry_after[0] = '\0';
    if (has_certificates(request, answer))
        settle_answer(client, perform_request(client));
}

/* --- Life cycle --- */

struct http_client *http_client_create(bool (*should_stop)(void))
{
    struct http_client *client = calloc(1, sizeof(*client));

    if (client == NULL)
        return NULL;
    *client = (struct http_client){ .should_stop = should_stop, .patience_ms = USUAL_PATIENCE_MS };
    client->curl = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? curl_easy_init() : NULL;
    if (client->curl == NULL) {
        free(client);
        return NULL;
    }
    return client;
}

void http_client_destroy(struct http_client *client)
{
    if (client == NULL)
        return;
    curl_easy_cleanup(client->curl);
    free(client);
}

void http_client_set_patience(struct http_client *client, uint64_t milliseconds)
{
    client->patience_ms = milliseconds;
}

int64_t http_client_clock_ahead(const struct http_client *client)
{
    return client->clock_ahead_s;
}
