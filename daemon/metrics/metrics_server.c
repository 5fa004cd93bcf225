#include "daemon/metrics/metrics_server.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct metrics_server {
    uv_poll_t poll;   /* what libmicrohttpd waits for */
    uv_timer_t timer; /* when it wants to look without */
    unsigned open_handles;
    struct MHD_Daemon *http;
    struct MHD_Response *page; /* the latest; NULL: none */
    uint64_t page_ns;
    const struct metrics_server_events *events;
    void *owner;
};

/* --- Answers --- */

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned status,
                              struct MHD_Response *response)
{
    enum MHD_Result result = MHD_queue_response(connection, status, response);

    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned status,
                                   const char *text)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);

    if (response == NULL)
        return MHD_NO;
    (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        (void)MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    return answer(connection, status, response);
}

static void forget_page(struct metrics_server *server)
{
    if (server->page != NULL)
        MHD_destroy_response(server->page);
    server->page = NULL;
}

static int make_page(struct metrics_server *server)
{
    char *text;
    size_t bytes;
    int error = server->events->make_page(server->owner, &text, &bytes);

    forget_page(server);
    if (error < 0)
        return error;
    server->page = MHD_create_response_from_buffer(bytes, text, MHD_RESPMEM_MUST_FREE);
    if (server->page == NULL) {
        free(text);
        return -ENOMEM;
    }
    (void)MHD_add_response_header(server->page, MHD_HTTP_HEADER_CONTENT_TYPE,
                                  "text/plain; version=0.0.4; charset=utf-8");
    server->page_ns = uv_hrtime();
    return 0;
}

static enum MHD_Result answer_page(struct metrics_server *server, struct MHD_Connection *connection)
{
    bool is_fresh = server->page != NULL &&
                    uv_hrtime() - server->page_ns < METRICS_PAGE_HOLDS_MS * UINT64_C(1000000);

    if (!is_fresh && make_page(server) < 0)
        return answer_text(connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
                           "profd has no memory for this page.\n");
    return MHD_queue_response(connection, MHD_HTTP_OK, server->page);
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_bytes, void **request)
{
    (void)version, (void)upload;
    static char begun;

    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return answer_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET and HEAD work.\n");
    if (*request == NULL) {
        *request = &begun; /* the answer comes when all of the request is read */
        return MHD_YES;
    }
    *upload_bytes = 0;
    if (strcmp(url, "/metrics") == 0)
        return answer_page(context, connection);
    if (strcmp(url, "/") == 0)
        return answer_text(connection, MHD_HTTP_OK, "profd's metrics are at /metrics.\n");
    return answer_text(connection, MHD_HTTP_NOT_FOUND, "There is only /metrics.\n");
}

/* --- The loop --- */

static void work(struct metrics_server *server);

static void on_readable(uv_poll_t *poll, int status, int events)
{
    (void)status, (void)events;
    work(poll->data);
}

static void on_due(uv_timer_t *timer)
{
    work(timer->data);
}

static void work(struct metrics_server *server)
{
    MHD_UNSIGNED_LONG_LONG due_ms;

    (void)MHD_run(server->http); /* fails only for servers of another kind */
    if (MHD_get_timeout(server->http, &due_ms) == MHD_YES)
        uv_timer_start(&server->timer, on_due, due_ms, 0);
    else
        uv_timer_stop(&server->timer);
}

/* --- Life cycle --- */

static void on_handle_closed(uv_handle_t *handle)
{
    struct metrics_server *server = handle->data;

    if (--server->open_handles == 0)
        free(server);
}

static void ignore_log(void *context, const char *format, va_list arguments)
{
    (void)context, (void)format, (void)arguments; /* whoever connects could fill the log */
}

static int begin_http(struct metrics_server *server, int listening_fd)
{
    server->http = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_ERROR_LOG, 0, NULL, NULL, on_request, server,
        MHD_OPTION_EXTERNAL_LOGGER, ignore_log, NULL, MHD_OPTION_LISTEN_SOCKET, listening_fd,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)METRICS_MOST_CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)METRICS_PATIENCE_S, MHD_OPTION_END);
    return server->http != NULL ? 0 : -errno;
}

static int begin_handles(struct metrics_server *server, uv_loop_t *loop)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->http, MHD_DAEMON_INFO_EPOLL_FD);
    int error = uv_timer_init(loop, &server->timer);

    if (error < 0)
        return error;
    server->open_handles = 1;
    error = info != NULL ? uv_poll_init(loop, &server->poll, info->epoll_fd) : -ENOTSUP;
    if (error < 0)
        return error;
    server->open_handles = 2;
    return uv_poll_start(&server->poll, UV_READABLE, on_readable);
}

int metrics_server_create(uv_loop_t *loop, int listening_fd,
                          const struct metrics_server_events *events, void *owner,
                          struct metrics_server **out)
{
    struct metrics_server *server = calloc(1, sizeof(*server));

    if (server == NULL)
        return -ENOMEM;
    server->events = events;
    server->owner = owner;
    server->poll.data = server->timer.data = server;
    int error = begin_http(server, listening_fd);
    if (error == 0)
        error = begin_handles(server, loop);
    if (error < 0)
        metrics_server_close(server);
    else
        *out = server;
    return error;
}

void metrics_server_close(struct metrics_server *server)
{
    unsigned handles = server->open_handles;

    if (handles > 1)
        uv_close((uv_handle_t *)&server->poll, on_handle_closed);
    if (server->http != NULL) {
        (void)MHD_quiesce_daemon(server->http); /* else it closes what it listens at */
        MHD_stop_daemon(server->http);
    }
    forget_page(server);
    if (handles > 0)
        uv_close((uv_handle_t *)&server->timer, on_handle_closed);
    else
        free(server);
}
