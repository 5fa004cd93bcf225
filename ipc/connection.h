/* Connections on an event loop: messages in, messages out.
 *
 * For profd and profctl only; apart from ipc/listener.h nothing else in ipc/ uses libuv. Everything
 * here belongs to the loop's thread and, unless stated otherwise, never blocks. Callbacks come from
 * the loop, never from inside a function of this header, so the owner may call any function from
 * anywhere, even connection_close() in on_message. */
#ifndef PROFD_IPC_CONNECTION_H
#define PROFD_IPC_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "ipc/socket.h"

enum {
    CONNECTION_MAX_QUEUED_BYTES = 4 * 1024 * 1024, /* for a peer that does not read */
};

struct connection;

struct connection_events {
    /* A whole message of a known or unknown KIND (positive; see message_peek_kind()). PAYLOAD is
     * the frame's payload, for message_get_X(), and valid until the callback returns. FDS are the
     * descriptors that came with it: the owner keeps one by setting it to -1; the others are closed
     * afterwards. */
    void (*on_message)(struct connection *connection, unsigned kind, const uint8_t *payload,
                       size_t bytes, int *fds, size_t fd_count, void *owner);
    /* The connection has ended; called exactly once for every connection that was handed out,
     * whichever side closed it, after everything that the peer sent before the end has been
     * delivered. REASON is negative: -ESHUTDOWN if the peer ended the stream, -EPROTO for bytes
     * that are not a message, -ENOBUFS for a peer that does not read, -ETIMEDOUT at the deadline,
     * another errno, or what was passed to connection_close(). CONNECTION is freed after this. */
    void (*on_closed)(struct connection *connection, int reason, void *owner);
};

/* Makes a connection of the connected stream socket FD, which is taken over on every path. EVENTS
 * must outlive the connection. Returns 0, or a negative errno: then FD has been closed, and
 * on_closed is not called. */
int connection_accept(uv_loop_t *loop, int fd, const struct connection_events *events, void *owner,
                      struct connection **out);

/* Connects to PATH; the connection is established when this returns 0. While PATH's backlog is
 * full, it waits for up to PATIENCE_MS; this is the only call here that may block. Returns -ENOENT
 * or -ECONNREFUSED if nobody listens there, -EAGAIN if the backlog was full the whole time. */
int connection_connect(uv_loop_t *loop, const char *path, unsigned patience_ms,
                       const struct connection_events *events, void *owner,
                       struct connection **out);

/* Sends a message made by message_put_X(), COUNT bytes in one whole frame, together with FDS.
 * Copies the bytes; takes over FDS on every path. Returns 0 if the message was sent or queued;
 * -EINVAL for too many descriptors; -ENOBUFS if more than CONNECTION_MAX_QUEUED_BYTES would wait,
 * -ENOMEM, -EPIPE …: then the connection closes itself; -ENOTCONN if it is already closing. */
int connection_send(struct connection *connection, const void *bytes, size_t count, const int *fds,
                    size_t fd_count);

/* Bytes that connection_send() accepted and that the kernel has not yet taken. */
size_t connection_queued_bytes(const struct connection *connection);

/* Closes at once: what is queued is dropped, and nothing more is delivered. REASON is negative.
 * Safe to repeat until on_closed; the first reason counts. */
void connection_close(struct connection *connection, int reason);

/* Closes with REASON as soon as everything queued has been sent, but after TIMEOUT_MS at the
 * latest. Nothing more is received. For a last answer to a peer that is turned away. */
void connection_finish(struct connection *connection, int reason, uint64_t timeout_ms);

/* Closes the connection with -ETIMEDOUT in TIMEOUT_MS from now, unless called again; 0: no
 * deadline, which is the default. */
void connection_set_deadline(struct connection *connection, uint64_t timeout_ms);

/* Who was at the other end when the connection was made. Valid as long as the connection. */
const struct peer_credentials *connection_peer(const struct connection *connection);

/* Whether the peer was a member of GROUP then (peer_is_in_group()). */
bool connection_peer_is_in_group(const struct connection *connection, gid_t group);

/* Changes what was passed to connection_accept() or connection_connect(), for example when a hello
 * tells what the peer is. */
void connection_set_events(struct connection *connection, const struct connection_events *events,
                           void *owner);
void *connection_owner(const struct connection *connection);

#endif
