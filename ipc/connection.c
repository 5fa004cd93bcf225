#include "ipc/connection.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ipc/frame.h"
#include "ipc/messages.h"
#include "ipc/peer_group.h"

enum {
    READS_PER_TURN = 16,       /* then others get theirs */
    READS_FROM_THE_DEAD = 256, /* the last words of a peer that can no longer be written to */
};

/* A message, or the rest of one, that the kernel has not taken yet. */
struct outgoing {
    struct outgoing *next;
    size_t count, sent;
    size_t fd_count; /* 0 once they are gone with the first byte */
    int fds[SOCKET_MAX_DESCRIPTORS];
    uint8_t bytes[];
};

/* Life: both handles are open from connection_open() to connection_close(); each close call-back
 * takes one from open_handles, and the last one tells the owner and frees. */
struct connection {
    uv_poll_t poll;
    uv_timer_t deadline;
    int open_handles;
    int close_reason;  /* 0 while open */
    int finish_reason; /* 0 unless it closes when all is sent */
    int write_error;   /* 0 while the peer takes bytes; else it is heard out, then closed */
    int polled_events;
    int fd;
    struct peer_credentials peer;
    const struct connection_events *events;
    void *owner;

    struct frame_reader reader;
    int incoming_fds[SOCKET_MAX_DESCRIPTORS]; /* of the message that is next to be complete */
    size_t incoming_fd_count;

    struct outgoing *first_outgoing, **last_outgoing;
    size_t queued_bytes;
};

static void on_poll(uv_poll_t *handle, int status, int events);

static void close_descriptors(const int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static struct connection *connection_new(int fd, const struct connection_events *events,
                                         void *owner)
{
    struct connection *connection = calloc(1, sizeof(*connection));
    if (connection == NULL)
        return NULL;
    connection->fd = fd;
    connection->events = events;
    connection->owner = owner;
    connection->last_outgoing = &connection->first_outgoing;
    connection->poll.data = connection;
    connection->deadline.data = connection;
    frame_reader_init(&connection->reader);
    return connection;
}

static void poll_for_what_is_needed(struct connection *connection)
{
    int events = connection->finish_reason == 0 ? UV_READABLE : 0;
    if (connection->first_outgoing != NULL || connection->write_error != 0)
        events |= UV_WRITABLE;
    if (connection->close_reason != 0 || events == connection->polled_events)
        return;
    int error = uv_poll_start(&connection->poll, events, on_poll);
    if (error < 0)
        connection_close(connection, error);
    else
        connection->polled_events = events;
}

int connection_accept(uv_loop_t *loop, int fd, const struct connection_events *events, void *owner,
                      struct connection **out)
{
    struct connection *connection = connection_new(fd, events, owner);
    int error = connection == NULL ? -ENOMEM : socket_peer(fd, &connection->peer);
    if (error == 0)
        error = uv_poll_init(loop, &connection->poll, fd);
    if (error < 0) {
        free(connection);
        close(fd);
        return error;
    }
    uv_timer_init(loop, &connection->deadline);
    connection->open_handles = 2;
    poll_for_what_is_needed(connection);
    *out = connection;
    return 0;
}

int connection_connect(uv_loop_t *loop, const char *path, unsigned patience_ms,
                       const struct connection_events *events, void *owner, struct connection **out)
{
    int fd = socket_connect_patiently(path, patience_ms);
    return fd < 0 ? fd : connection_accept(loop, fd, events, owner, out);
}

static void deliver_message(struct connection *connection, const uint8_t *payload, size_t bytes)
{
    int fds[SOCKET_MAX_DESCRIPTORS];
    size_t fd_count = connection->incoming_fd_count;
    int kind = message_peek_kind(payload, bytes);
    if (kind < 0) {
        connection_close(connection, kind);
        return;
    }
    memcpy(fds, connection->incoming_fds, sizeof(fds));
    connection->incoming_fd_count = 0;
    connection->events->on_message(connection, (unsigned)kind, payload, bytes, fds, fd_count,
                                   connection->owner);
    close_descriptors(fds, fd_count);
}

static void keep_incoming(struct connection *connection, const int *fds, size_t fd_count)
{
    if (fd_count == 0)
        return;
    if (connection->close_reason == 0 &&
        connection->incoming_fd_count + fd_count <= SOCKET_MAX_DESCRIPTORS) {
        memcpy(connection->incoming_fds + connection->incoming_fd_count, fds,
               fd_count * sizeof(*fds));
        connection->incoming_fd_count += fd_count;
        return;
    }
    close_descriptors(fds, fd_count);
    connection_close(connection, -EPROTO);
}

/* Delivers the messages that are whole. FDS came with the last bytes: they belong to the message
 * that has the very last one, be it whole or not (see socket_receive()). */
static void deliver_whole_messages(struct connection *connection, const int *fds, size_t fd_count)
{
    const uint8_t *payload;
    size_t bytes;
    int found = 0;
    while (connection->close_reason == 0 &&
           (found = frame_reader_next(&connection->reader, &payload, &bytes)) > 0) {
        if (frame_reader_pending(&connection->reader) == 0) {
            keep_incoming(connection, fds, fd_count);
            fd_count = 0;
        }
        if (connection->close_reason == 0)
            deliver_message(connection, payload, bytes);
    }
    if (found < 0)
        connection_close(connection, found);
    keep_incoming(connection, fds, fd_count);
}

/* Whether there may be more to receive at once. */
static bool receive_once(struct connection *connection)
{
    uint8_t *room;
    size_t room_bytes;
    int fds[SOCKET_MAX_DESCRIPTORS];
    size_t fd_count = 0;
    ssize_t count = frame_reader_room(&connection->reader, &room, &room_bytes);
    if (count == 0)
        count = socket_receive(connection->fd, room, room_bytes, fds, &fd_count);
    else if (count > 0)
        count = -EPROTO;
    if (count == -EAGAIN)
        return false;
    if (count <= 0) {
        close_descriptors(fds, fd_count);
        connection_close(connection, count == 0 ? -ESHUTDOWN : (int)count);
        return false;
    }
    frame_reader_filled(&connection->reader, (size_t)count);
    deliver_whole_messages(connection, fds, fd_count);
    return connection->close_reason == 0 && connection->finish_reason == 0;
}

static void receive_messages(struct connection *connection, int reads)
{
    while (reads > 0 && receive_once(connection))
        reads--;
}

static void drop_first_outgoing(struct connection *connection)
{
    struct outgoing *outgoing = connection->first_outgoing;
    connection->queued_bytes -= outgoing->count - outgoing->sent;
    connection->first_outgoing = outgoing->next;
    if (connection->first_outgoing == NULL)
        connection->last_outgoing = &connection->first_outgoing;
    close_descriptors(outgoing->fds, outgoing->fd_count);
    free(outgoing);
}

static void drop_all_outgoing(struct connection *connection)
{
    while (connection->first_outgoing != NULL)
        drop_first_outgoing(connection);
}

static void give_up_writing(struct connection *connection, int error)
{
    connection->write_error = error;
    drop_all_outgoing(connection);
}

/* What the kernel takes of the first message in the queue: 0, -EAGAIN, or why it never will. */
static int send_first_outgoing(struct connection *connection)
{
    struct outgoing *outgoing = connection->first_outgoing;
    ssize_t sent = socket_send(connection->fd, outgoing->bytes + outgoing->sent,
                               outgoing->count - outgoing->sent, outgoing->fds, outgoing->fd_count);
    if (sent < 0)
        return (int)sent;
    close_descriptors(outgoing->fds, outgoing->fd_count);
    outgoing->fd_count = 0;
    outgoing->sent += (size_t)sent;
    connection->queued_bytes -= (size_t)sent;
    if (outgoing->sent == outgoing->count)
        drop_first_outgoing(connection);
    return 0;
}

static void send_queue(struct connection *connection)
{
    int error = 0;
    while (error == 0 && connection->first_outgoing != NULL)
        error = send_first_outgoing(connection);
    if (error < 0 && error != -EAGAIN)
        give_up_writing(connection, error);
}

static int enqueue_bytes(struct connection *connection, const void *bytes, size_t count,
                         const int *fds, size_t fd_count)
{
    if (count > CONNECTION_MAX_QUEUED_BYTES - connection->queued_bytes)
        return -ENOBUFS;
    struct outgoing *outgoing = malloc(sizeof(*outgoing) + count);
    if (outgoing == NULL)
        return -ENOMEM;
    *outgoing = (struct outgoing){ .count = count, .fd_count = fd_count };
    memcpy(outgoing->bytes, bytes, count);
    if (fd_count > 0)
        memcpy(outgoing->fds, fds, fd_count * sizeof(*fds));
    *connection->last_outgoing = outgoing;
    connection->last_outgoing = &outgoing->next;
    connection->queued_bytes += count;
    return 0;
}

int connection_send(struct connection *connection, const void *bytes, size_t count, const int *fds,
                    size_t fd_count)
{
    int error = 0;
    if (count == 0 || fd_count > SOCKET_MAX_DESCRIPTORS)
        error = -EINVAL;
    else if (connection->close_reason != 0 || connection->finish_reason != 0)
        error = -ENOTCONN;
    else if (connection->write_error != 0)
        error = connection->write_error;
    if (error < 0) {
        close_descriptors(fds, fd_count);
        return error;
    }

    bool is_first = connection->first_outgoing == NULL;
    error = enqueue_bytes(connection, bytes, count, fds, fd_count);
    if (error < 0) {
        close_descriptors(fds, fd_count);
        connection_close(connection, error);
        return error;
    }
    if (is_first)
        send_queue(connection);
    poll_for_what_is_needed(connection);
    return connection->write_error;
}

size_t connection_queued_bytes(const struct connection *connection)
{
    return connection->queued_bytes;
}

/* Writing first makes room for the peer; reading first would answer a dead one. Neither closes
 * before what the peer had sent was heard. */
static void on_poll(uv_poll_t *handle, int status, int events)
{
    struct connection *connection = handle->data;
    if (status == 0 && (events & UV_WRITABLE) != 0)
        send_queue(connection);

    int failed = status < 0 ? status : connection->write_error;
    if (connection->finish_reason == 0 && (failed < 0 || (events & UV_READABLE) != 0))
        receive_messages(connection, failed < 0 ? READS_FROM_THE_DEAD : READS_PER_TURN);

    if (failed < 0)
        connection_close(connection, failed);
    else if (connection->finish_reason != 0 && connection->first_outgoing == NULL)
        connection_close(connection, connection->finish_reason);
    else
        poll_for_what_is_needed(connection);
}

static void on_deadline(uv_timer_t *handle)
{
    struct connection *connection = handle->data;
    connection_close(connection,
                     connection->finish_reason != 0 ? connection->finish_reason : -ETIMEDOUT);
}

void connection_set_deadline(struct connection *connection, uint64_t timeout_ms)
{
    if (connection->close_reason != 0 || connection->finish_reason != 0)
        return;
    if (timeout_ms == 0)
        uv_timer_stop(&connection->deadline);
    else
        uv_timer_start(&connection->deadline, on_deadline, timeout_ms, 0);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct connection *connection = handle->data;
    if (--connection->open_handles > 0)
        return;
    connection->events->on_closed(connection, connection->close_reason, connection->owner);
    frame_reader_destroy(&connection->reader);
    free(connection);
}

void connection_close(struct connection *connection, int reason)
{
    if (connection->close_reason != 0)
        return;
    connection->close_reason = reason;
    uv_close((uv_handle_t *)&connection->deadline, on_handle_closed);
    uv_close((uv_handle_t *)&connection->poll, on_handle_closed);
    close(connection->fd); /* the peer learns it now; uv_close() has let go of the descriptor */
    drop_all_outgoing(connection);
    close_descriptors(connection->incoming_fds, connection->incoming_fd_count);
    connection->incoming_fd_count = 0;
}

void connection_finish(struct connection *connection, int reason, uint64_t timeout_ms)
{
    if (connection->close_reason != 0 || connection->finish_reason != 0)
        return;
    if (connection->first_outgoing == NULL) {
        connection_close(connection, reason);
        return;
    }
    uv_timer_start(&connection->deadline, on_deadline, timeout_ms, 0);
    connection->finish_reason = reason;
    poll_for_what_is_needed(connection);
}

const struct peer_credentials *connection_peer(const struct connection *connection)
{
    return &connection->peer;
}

bool connection_peer_is_in_group(const struct connection *connection, gid_t group)
{
    return peer_is_in_group(connection->fd, group);
}

void connection_set_events(struct connection *connection, const struct connection_events *events,
                           void *owner)
{
    connection->events = events;
    connection->owner = owner;
}

void *connection_owner(const struct connection *connection)
{
    return connection->owner;
}
