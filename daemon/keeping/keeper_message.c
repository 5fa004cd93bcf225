#include "daemon/keeping/keeper_message.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <unistd.h>

#include "ipc/socket.h"

/* 0 when EVENTS are there. */
static int wait_for_events(int socket_fd, short events)
{
    struct pollfd waited = { .fd = socket_fd, .events = events };
    int got;

    do
        got = poll(&waited, 1, KEEPER_PATIENCE_MS);
    while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : got == 0 ? -ETIMEDOUT : 0;
}

int keeper_message_send(int socket_fd, const struct keeper_message *message, int fd)
{
    size_t bytes = offsetof(struct keeper_message, hello) + message->hello_bytes;

    if (message->hello_bytes > KEEPER_HELLO_BYTES)
        return -EMSGSIZE;
    for (;;) {
        ssize_t sent = socket_send(socket_fd, message, bytes, &fd, fd >= 0 ? 1 : 0);
        if (sent >= 0)
            return 0;
        if (sent != -EAGAIN)
            return (int)sent;
        int error = wait_for_events(socket_fd, POLLOUT);
        if (error < 0)
            return error;
    }
}

static int check_message(const struct keeper_message *message, size_t bytes)
{
    size_t front = offsetof(struct keeper_message, hello);

    if (bytes < front || message->kind < KEEPER_KEEP || message->kind > KEEPER_LEAVE)
        return -EPROTO;
    return bytes - front == message->hello_bytes ? 0 : -EPROTO;
}

static void close_all(const int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        close(fds[i]);
}

int keeper_message_receive(int socket_fd, struct keeper_message *message, int *fd)
{
    int fds[SOCKET_MAX_DESCRIPTORS];
    size_t count = 0;
    ssize_t got = socket_receive(socket_fd, message, sizeof(*message), fds, &count);

    *fd = -1;
    if (got == -EAGAIN)
        return 0;
    int error = got > 0 ? check_message(message, (size_t)got) : got == 0 ? -EPIPE : (int)got;
    if (error == 0 && count > 1)
        error = -EPROTO;
    if (error < 0) {
        close_all(fds, count);
        return error;
    }
    if (count == 1)
        *fd = fds[0];
    return 1;
}

int keeper_message_await(int socket_fd, struct keeper_message *message, int *fd)
{
    int got = keeper_message_receive(socket_fd, message, fd);

    while (got == 0) {
        int error = wait_for_events(socket_fd, POLLIN);
        if (error < 0)
            return error;
        got = keeper_message_receive(socket_fd, message, fd);
    }
    return got;
}
