#include "daemon/metrics/metrics_server.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "common/time_units.h"

enum { LOOK_MS = 500, CROWD_LOOK_MS = 50 };

/* Somebody who is connected. */
struct guest {
    int fd; /* the connection's; -1: a free place */
    uint64_t since_ns;
};

struct metrics_server {
    uv_poll_t poll;   /* what libmicrohttpd waits for */
    uv_timer_t timer; /* when it wants to look without */
    unsigned open_handles;
    struct MHD_Daemon *http;
    struct MHD_Response *page; /* the latest; NULL: none */
    uint64_t page_ns, page_holds_ns;
    struct guest guests[METRICS_MOST_CONNECTIONS];
    unsigned guest_count;
    unsigned idle_runs; /* since the last of them went */
    uint64_t patience_ns;
    const struct metrics_server_events *events;
    void *owner;
};

/* --- Answers --- */

static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned status,
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
    (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        (void)MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    return send_response(connection, status, response);
}

static void forget_page(struct metrics_server *server)
{
    if (server->page != NULL)
        MHD_destroy_response(server->page);
    server->page = NULL;
}

/* A page that takes long is made seldom, however often it is asked for. */
static void note_page_made(struct metrics_server *server, uint64_t begun_ns)
{
    const uint64_t least_ns = (uint64_t)METRICS_PAGE_HOLDS_MS * NS_PER_MS;

    server->page_ns = uv_hrtime();
    server->page_holds_ns = METRICS_PAGE_HOLDS_TIMES * (server->page_ns - begun_ns);
    if (server->page_holds_ns < least_ns)
        server->page_holds_ns = least_ns;
}

static int make_page(struct metrics_server *server)
{
    char *text;
    size_t bytes;
    uint64_t begun_ns = uv_hrtime();
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
    (void)MHD_add_response_header(server->page, MHD_HTTP_HEADER_CONNECTION, "close");
    note_page_made(server, begun_ns);
    return 0;
}

static enum MHD_Result answer_page(struct metrics_server *server, struct MHD_Connection *connection)
{
    bool is_fresh = server->page != NULL && uv_hrtime() - server->page_ns < server->page_holds_ns;

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
    if (*upload_bytes != 0) {
        *upload_bytes = 0; /* nobody wants it */
        return MHD_YES;
    }
    if (strcmp(url, "/metrics") == 0)
        return answer_page(context, connection);
    if (strcmp(url, "/") == 0)
        return answer_text(connection, MHD_HTTP_OK, "profd's metrics are at /metrics.\n");
    return answer_text(connection, MHD_HTTP_NOT_FOUND, "There is only /metrics.\n");
}

/* --- Guests --- */

static void note_guest(struct metrics_server *server, int fd)
{
    for (size_t i = 0; i < METRICS_MOST_CONNECTIONS; i++) {
        if (server->guests[i].fd >= 0)
            continue;
        server->guests[i] = (struct guest){ fd, uv_hrtime() };
        server->guest_count++;
        return;
    }
}

static void forget_guest(struct metrics_server *server, int fd)
{
    for (size_t i = 0; i < METRICS_MOST_CONNECTIONS; i++) {
        if (server->guests[i].fd != fd)
            continue;
        server->guests[i].fd = -1;
        server->guest_count--;
    }
    server->idle_runs = 0;
}

static void on_guest(void *context, struct MHD_Connection *connection, void **guest,
                     enum MHD_ConnectionNotificationCode code)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

    (void)guest;
    if (info == NULL)
        return;
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        note_guest(context, info->connect_fd);
    else
        forget_guest(context, info->connect_fd);
}

static bool is_crowded(const struct metrics_server *server)
{
    return server->guest_count == METRICS_MOST_CONNECTIONS;
}

static uint64_t patience_ns(const struct metrics_server *server)
{
    const uint64_t crowd_ns = (uint64_t)METRICS_CROWD_PATIENCE_MS * NS_PER_MS;

    return is_crowded(server) && crowd_ns < server->patience_ns ? crowd_ns : server->patience_ns;
}

/* libmicrohttpd closes what has been shut down. */
static void hang_up_on_old_guests(struct metrics_server *server)
{
    uint64_t now_ns = uv_hrtime(), max_ns = patience_ns(server);

    for (size_t i = 0; i < METRICS_MOST_CONNECTIONS; i++) {
        const struct guest *guest = &server->guests[i];
        if (guest->fd >= 0 && now_ns - guest->since_ns > max_ns)
            (void)shutdown(guest->fd, SHUT_RDWR);
    }
}

/* --- The loop --- */

static void run_server(struct metrics_server *server);

static void on_readable(uv_poll_t *poll, int status, int events)
{
    (void)status, (void)events;
    run_server(poll->data);
}

static void on_due(uv_timer_t *timer)
{
    run_server(timer->data);
}

static MHD_UNSIGNED_LONG_LONG next_look_ms(const struct metrics_server *server, bool was_crowded)
{
    if (is_crowded(server))
        return CROWD_LOOK_MS;
    return was_crowded ? 0 : LOOK_MS;
}

/* Where it had to turn somebody away, libmicrohttpd listens again only when it runs once more after
 * others have gone, of which nobody tells it: so it runs at once when there is room again, now and
 * then, and twice after the last. */
static void run_server(struct metrics_server *server)
{
    MHD_UNSIGNED_LONG_LONG due_ms;
    bool was_crowded = is_crowded(server);

    hang_up_on_old_guests(server);
    (void)MHD_run(server->http); /* fails only for servers of another kind */
    MHD_UNSIGNED_LONG_LONG look_ms = next_look_ms(server, was_crowded);
    if (MHD_get_timeout(server->http, &due_ms) != MHD_YES || due_ms > look_ms)
        due_ms = look_ms;
    if (server->guest_count > 0 || server->idle_runs++ < 2)
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
    (void)context, (void)format, (void)arguments; /* strangers could fill the log */
}

static int begin_http(struct metrics_server *server, int listening_fd)
{
    server->http = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_ERROR_LOG, 0, NULL, NULL, on_request,
                                    server, MHD_OPTION_EXTERNAL_LOGGER, ignore_log, NULL,
                                    MHD_OPTION_LISTEN_SOCKET, listening_fd,
                                    MHD_OPTION_CONNECTION_LIMIT, (unsigned)METRICS_MOST_CONNECTIONS,
                                    MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)METRICS_PATIENCE_S,
                                    MHD_OPTION_NOTIFY_CONNECTION, on_guest, server, MHD_OPTION_END);
    return server->http != NULL ? 0 : -EIO;
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

void metrics_server_set_patience(struct metrics_server *server, uint64_t patience_ms)
{
    server->patience_ns = patience_ms * NS_PER_MS;
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
    for (size_t i = 0; i < METRICS_MOST_CONNECTIONS; i++)
        server->guests[i].fd = -1;
    metrics_server_set_patience(server, METRICS_PATIENCE_S * MS_PER_S);
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
