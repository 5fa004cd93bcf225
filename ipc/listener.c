#include "ipc/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ipc/socket_file.h"

enum { ACCEPTS_PER_TURN = 64 };

struct listener {
    uv_poll_t poll;
    struct socket_file file;
    int reserve_fd; /* given up for a moment to turn a peer away when there is no other number */
    bool is_closing;
    uint64_t turned_away;
    listener_on_accept on_accept;
    listener_on_closed on_closed;
    void *owner;
};

static int open_reserve(void)
{
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int accept_connection(struct listener *listener)
{
    int fd = accept4(listener->file.listening_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* Without this the peer would wait for ever and the loop would spin on it. */
static bool turn_connection_away(struct listener *listener)
{
    if (listener->reserve_fd < 0)
        return false;
    close(listener->reserve_fd);
    int fd = accept_connection(listener);
    if (fd >= 0) {
        close(fd);
        listener->turned_away++;
    }
    listener->reserve_fd = open_reserve();
    return fd >= 0;
}

static void hand_over_connection(struct listener *listener, int fd)
{
    struct peer_credentials peer;
    if (socket_peer(fd, &peer) < 0) {
        close(fd);
        listener->turned_away++;
        return;
    }
    listener->on_accept(listener, fd, &peer, listener->owner);
}

static void on_pending_connection(uv_poll_t *handle, int status, int events)
{
    struct listener *listener = handle->data;
    (void)status;
    (void)events;
    for (int i = 0; i < ACCEPTS_PER_TURN && !listener->is_closing; i++) {
        int fd = accept_connection(listener);
        if (fd >= 0)
            hand_over_connection(listener, fd);
        else if (fd == -EMFILE || fd == -ENFILE) {
            if (!turn_connection_away(listener))
                return;
        } else if (fd != -ECONNABORTED && fd != -EINTR)
            return;
    }
}

static void close_files(struct listener *listener)
{
    socket_file_close(&listener->file);
    if (listener->reserve_fd >= 0)
        close(listener->reserve_fd);
}

/* Waits for connections to LISTENER's socket, which is closed on failure. */
static int watch_socket(uv_loop_t *loop, struct listener *listener,
                        char error_text[LISTENER_ERROR_TEXT])
{
    listener->poll.data = listener;
    listener->reserve_fd = open_reserve();
    int error = uv_poll_init(loop, &listener->poll, listener->file.listening_fd);
    if (error < 0) {
        close_files(listener);
        free(listener);
        goto describe;
    }
    error = uv_poll_start(&listener->poll, UV_READABLE, on_pending_connection);
    if (error == 0)
        return 0;
    listener_close(listener, NULL);

describe:
    snprintf(error_text, LISTENER_ERROR_TEXT, "cannot wait for connections: %s", strerror(-error));
    return error;
}

/* At PATH, or with FD where PATH is NULL. */
static int make_listener(uv_loop_t *loop, const char *path, int fd,
                         const struct listener *description, struct listener **out,
                         char error_text[LISTENER_ERROR_TEXT])
{
    struct listener *listener = malloc(sizeof(*listener));
    if (listener == NULL) {
        if (fd >= 0)
            close(fd);
        strcpy(error_text, "out of memory");
        return -ENOMEM;
    }
    *listener = *description;
    int error = path != NULL
                    ? socket_file_listen(&listener->file, path, error_text, LISTENER_ERROR_TEXT)
                    : socket_file_adopt(&listener->file, fd, error_text, LISTENER_ERROR_TEXT);
    if (error < 0) {
        free(listener);
        return error;
    }
    error = watch_socket(loop, listener, error_text);
    if (error == 0)
        *out = listener;
    return error;
}

int listener_create(uv_loop_t *loop, const char *path, listener_on_accept on_accept, void *owner,
                    struct listener **out, char error_text[LISTENER_ERROR_TEXT])
{
    const struct listener description = { .on_accept = on_accept, .owner = owner };
    return make_listener(loop, path, -1, &description, out, error_text);
}

int listener_adopt(uv_loop_t *loop, int fd, listener_on_accept on_accept, void *owner,
                   struct listener **out, char error_text[LISTENER_ERROR_TEXT])
{
    const struct listener description = { .on_accept = on_accept, .owner = owner };
    return make_listener(loop, NULL, fd, &description, out, error_text);
}

const char *listener_path(const struct listener *listener)
{
    return listener->file.path;
}

uint64_t listener_turned_away(const struct listener *listener)
{
    return listener->turned_away;
}

static void on_listener_closed(uv_handle_t *handle)
{
    struct listener *listener = handle->data;
    if (listener->on_closed != NULL)
        listener->on_closed(listener->owner);
    free(listener);
}

void listener_close(struct listener *listener, listener_on_closed on_closed)
{
    if (listener->is_closing)
        return;
    listener->is_closing = true;
    listener->on_closed = on_closed;
    uv_close((uv_handle_t *)&listener->poll, on_listener_closed);
    close_files(listener);
}
