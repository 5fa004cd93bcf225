#include "profctl/view/view_server.h"

#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "profctl/view/symbol_api.h"

struct view_server {
    struct MHD_Daemon *http;
    const struct view_site *site;
    uint64_t last_request_ns;
};

/* A question to the API, as it arrives. */
struct question {
    char *text;
    size_t used, capacity;
    bool is_too_large, has_no_memory;
};

int view_site_make_token(struct view_site *site)
{
    unsigned char bytes[(VIEW_TOKEN_BYTES - 1) / 2];

    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return -EIO;
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(site->token + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

/* --- Answers --- */

/* Frees RESPONSE. The address has the token in it, so it is to be shown to no one else. */
static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned status,
                                     struct MHD_Response *response, const char *type)
{
    if (response == NULL)
        return MHD_NO;
    bool is_whole =
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type) == MHD_YES &&
        MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store") == MHD_YES &&
        MHD_add_response_header(response, "Referrer-Policy", "no-referrer") == MHD_YES &&
        MHD_add_response_header(response, "X-Content-Type-Options", "nosniff") == MHD_YES;
    enum MHD_Result result = is_whole ? MHD_queue_response(connection, status, response) : MHD_NO;
    MHD_destroy_response(response);
    return result;
}

/* Lets pages of other origins read RESPONSE; who asks has the token. */
static struct MHD_Response *open_to_all(struct MHD_Response *response)
{
    if (response != NULL &&
        MHD_add_response_header(response, MHD_HTTP_HEADER_ACCESS_CONTROL_ALLOW_ORIGIN, "*") ==
            MHD_YES)
        return response;
    if (response != NULL)
        MHD_destroy_response(response);
    return NULL;
}

static struct MHD_Response *text_response(const char *text)
{
    return MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);
}

/* To those who do not have the token. */
static enum MHD_Result send_nothing(struct MHD_Connection *connection)
{
    return send_response(connection, MHD_HTTP_NOT_FOUND, text_response("There is nothing here.\n"),
                         "text/plain; charset=utf-8");
}

/* Pages of other origins are to see why. */
static enum MHD_Result refuse_request(struct MHD_Connection *connection, unsigned status,
                                      const char *why)
{
    return send_response(connection, status, open_to_all(text_response(why)),
                         "text/plain; charset=utf-8");
}

static struct MHD_Response *file_response(int fd)
{
    struct stat status;
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0); /* the response closes it */

    if (own < 0)
        return NULL;
    struct MHD_Response *response =
        fstat(own, &status) == 0 ? MHD_create_response_from_fd64((uint64_t)status.st_size, own)
                                 : NULL;
    if (response == NULL)
        close(own);
    return response;
}

static enum MHD_Result send_profile(const struct view_site *site, struct MHD_Connection *connection)
{
    struct MHD_Response *response = open_to_all(file_response(site->profile_fd));

    if (response != NULL && site->profile_is_gzip &&
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip") != MHD_YES) {
        MHD_destroy_response(response);
        return MHD_NO;
    }
    return send_response(connection, MHD_HTTP_OK, response, "application/json");
}

/* Browsers ask first whether a page may ask. */
static enum MHD_Result send_permission(struct MHD_Connection *connection)
{
    struct MHD_Response *response =
        open_to_all(MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT));

    if (response == NULL)
        return MHD_NO;
    (void)MHD_add_response_header(response, "Access-Control-Allow-Methods", "GET, POST");
    (void)MHD_add_response_header(response, "Access-Control-Allow-Headers", "content-type");
    (void)MHD_add_response_header(response, "Access-Control-Allow-Private-Network", "true");
    return send_response(connection, MHD_HTTP_OK, response, "text/plain");
}

/* --- Questions to the API --- */

static bool reserve_question(struct question *question, size_t bytes)
{
    if (bytes <= question->capacity)
        return true;
    size_t capacity = bytes * 2;
    char *grown = realloc(question->text, capacity);
    if (grown == NULL)
        return false;
    question->text = grown;
    question->capacity = capacity;
    return true;
}

/* What exceeds the limit is read and discarded, since the answer comes only after the whole
 * request. */
static void take_piece(struct question *question, const char *piece, size_t bytes)
{
    if (question->is_too_large || question->has_no_memory)
        return;
    question->is_too_large = question->used + bytes > VIEW_MAX_REQUEST_BYTES;
    if (question->is_too_large)
        return;
    question->has_no_memory = !reserve_question(question, question->used + bytes + 1);
    if (question->has_no_memory)
        return;
    memcpy(question->text + question->used, piece, bytes);
    question->used += bytes;
    question->text[question->used] = '\0';
}

static enum MHD_Result send_answer(const struct view_site *site, struct MHD_Connection *connection,
                                   const char *path, const struct question *question)
{
    char *answer = NULL;

    if (question->is_too_large)
        return refuse_request(connection, MHD_HTTP_CONTENT_TOO_LARGE,
                              "The request is too large.\n");
    if (question->has_no_memory)
        return refuse_request(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "Out of memory.\n");
    int error = symbol_api_answer(site->libraries, path,
                                  question->text != NULL ? question->text : "", &answer);
    if (error == -ENOENT)
        return refuse_request(connection, MHD_HTTP_NOT_FOUND, "Not found.\n");
    if (error == -EINVAL)
        return refuse_request(connection, MHD_HTTP_BAD_REQUEST,
                              "Not a request of the symbolication API.\n");
    if (error < 0)
        return refuse_request(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "Out of memory.\n");
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(answer), answer, MHD_RESPMEM_MUST_FREE);
    if (response == NULL)
        free(answer);
    return send_response(connection, MHD_HTTP_OK, open_to_all(response), "application/json");
}

/* --- Requests --- */

static enum MHD_Result answer_request(struct view_server *server, struct MHD_Connection *connection,
                                      const char *method, const char *path,
                                      const struct question *question)
{
    const struct view_site *site = server->site;
    bool reads =
        strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;

    server->last_request_ns = clock_monotonic_ns();
    if (strcmp(method, MHD_HTTP_METHOD_OPTIONS) == 0)
        return send_permission(connection);
    if (strcmp(method, MHD_HTTP_METHOD_POST) == 0)
        return send_answer(site, connection, path, question);
    if (reads && strcmp(path, "/") == 0)
        return send_response(connection, MHD_HTTP_OK, file_response(site->page_fd),
                             "text/html; charset=utf-8");
    if (reads && strcmp(path, "/profile.json") == 0)
        return send_profile(site, connection);
    return refuse_request(connection, reads ? MHD_HTTP_NOT_FOUND : MHD_HTTP_METHOD_NOT_ALLOWED,
                          "There is nothing here.\n");
}

/* What follows the token; NULL: URL does not begin with it. */
static const char *path_behind_token(const struct view_site *site, const char *url)
{
    size_t length = strlen(site->token);

    if (url[0] != '/' || strncmp(url + 1, site->token, length) != 0 || url[1 + length] != '/')
        return NULL;
    return url + 1 + length;
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_bytes, void **request)
{
    struct view_server *server = context;
    const char *path = path_behind_token(server->site, url);
    (void)version;

    if (path == NULL) /* at once: what else they send is not awaited */
        return send_nothing(connection);
    if (*request == NULL) {
        (void)MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT,
                                        (unsigned)VIEW_PATIENCE_S); /* one that it knows */
        *request = calloc(1, sizeof(struct question));
        return *request != NULL ? MHD_YES : MHD_NO;
    }
    if (*upload_bytes != 0) {
        take_piece(*request, upload, *upload_bytes);
        *upload_bytes = 0;
        return MHD_YES;
    }
    return answer_request(server, connection, method, path, *request);
}

static void on_completed(void *context, struct MHD_Connection *connection, void **request,
                         enum MHD_RequestTerminationCode code)
{
    struct question *question = *request;
    (void)context, (void)connection, (void)code;

    if (question != NULL)
        free(question->text);
    free(question);
    *request = NULL;
}

/* --- Life cycle --- */

static void ignore_log(void *context, const char *format, va_list arguments)
{
    (void)context, (void)format, (void)arguments; /* clients could fill the terminal with them */
}

int view_server_create(int listening_fd, const struct view_site *site, struct view_server **out)
{
    struct view_server *server = calloc(1, sizeof(*server));

    if (server == NULL) {
        close(listening_fd);
        return -ENOMEM;
    }
    server->site = site;
    server->last_request_ns = clock_monotonic_ns();
    server->http =
        MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_ERROR_LOG, 0, NULL, NULL, on_request, server,
                         MHD_OPTION_EXTERNAL_LOGGER, ignore_log, NULL, MHD_OPTION_LISTEN_SOCKET,
                         listening_fd, MHD_OPTION_CONNECTION_LIMIT, (unsigned)VIEW_MAX_CONNECTIONS,
                         MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)VIEW_STRANGER_PATIENCE_S,
                         MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL, MHD_OPTION_END);
    if (server->http == NULL) {
        close(listening_fd);
        free(server);
        return -EIO;
    }
    *out = server;
    return 0;
}

void view_server_destroy(struct view_server *server)
{
    if (server == NULL)
        return;
    MHD_stop_daemon(server->http);
    free(server);
}

int view_server_fd(const struct view_server *server)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->http, MHD_DAEMON_INFO_EPOLL_FD);

    return info->epoll_fd;
}

/* What libmicrohttpd has read and not yet dealt with does not make its descriptor readable again.
 */
int view_server_due_ms(const struct view_server *server, int max_ms)
{
    MHD_UNSIGNED_LONG_LONG due_ms;

    if (MHD_get_timeout(server->http, &due_ms) != MHD_YES || due_ms > (unsigned)max_ms)
        return max_ms;
    return (int)due_ms;
}

void view_server_work(struct view_server *server)
{
    (void)MHD_run(server->http); /* fails only for servers of another kind */
}

uint64_t view_server_last_request_ns(const struct view_server *server)
{
    return server->last_request_ns;
}
