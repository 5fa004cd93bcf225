/* Connections on an event loop: messages in, messages out.
 *
 * For profd and profctl only; besides ipc/listener.h nothing else in ipc/ knows libuv. Everything
 * here belongs to the loop's thread and never blocks. No call-back is made from inside a function
 * of this header: they come from the loop, so the owner may call anything here from anywhere, also
 * connection_close() in on_message.
 */
#ifndef PROFD_IPC_CONNECTION_H
#define PROFD_IPC_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "ipc/socket.h"

enum {
    CONNECTION_MAX_QUEUED_BYTES = 4 * 1024 * 1024, /* for a peer that doesn't read */
};

struct connection;

struct connection_events {
    /* A whole message of a known or unknown KIND (positive; see message_peek_kind()). PAYLOAD is
     * the frame's payload, for message_get_X(), and valid until the return. FDS are the descriptors
     * that came with it: the owner keeps one by putting -1 in its place; the others are closed
     * afterwards. */
    void (*on_message)(struct connection *connection, unsigned kind, const uint8_t *payload,
                       size_t bytes, int *fds, size_t fd_count, void *owner);
    /* The end, exactly once for every connection that was handed out, whichever side closed it.
     * Everything that the peer had sent before it ended was delivered first. REASON is negative:
     * -ESHUTDOWN when the peer ended the stream, -EPROTO for bytes that are no message, -ENOBUFS
     * for a peer that doesn't read, -ETIMEDOUT at the deadline, another errno, or what
     * connection_close() was told. CONNECTION is freed after this. */
    void (*on_closed)(struct connection *connection, int reason, void *owner);
};

/* Takes over the connected stream socket FD on every path: on failure (returned, on_closed is not
 * called) FD is closed. EVENTS must outlive the connection. */
int connection_accept(uv_loop_t *loop, int fd, const struct connection_events *events, void *owner,
                      struct connection **out);

/* Connected when it returns 0. While PATH's backlog is full, it waits in the queue before it for
 * PATIENCE_MS, which is the one thing here that may block. -ENOENT and -ECONNREFUSED: nobody
 * listens there; -EAGAIN: its backlog was full all the time. */
int connection_connect(uv_loop_t *loop, const char *path, unsigned patience_ms,
                       const struct connection_events *events, void *owner,
                       struct connection **out);

/* Sends a message as message_put_X() made it, COUNT bytes in one whole frame, with FDS beside it.
 * Copies the bytes and closes FDS on every path, sooner or later. 0 when sent or queued; -EINVAL
 * for too many descriptors; -ENOBUFS when more than CONNECTION_MAX_QUEUED_BYTES would wait,
 * -ENOMEM, -EPIPE …: the connection then closes by itself; -ENOTCONN when it is closing already. */
int connection_send(struct connection *connection, const void *bytes, size_t count, const int *fds,
                    size_t fd_count);

/* Bytes that connection_send() took and the kernel has not. */
size_t connection_queued_bytes(const struct connection *connection);

/* Closes now; what is queued is dropped, nothing more is delivered. REASON is negative. Safe to
 * repeat (the first reason counts) until on_closed. */
void connection_close(struct connection *connection, int reason);

/* Closes with REASON as soon as what is queued is sent, at the latest after TIMEOUT_MS. Receives
 * nothing more. For a last answer to a peer that is turned away. */
void connection_finish(struct connection *connection, int reason, uint64_t timeout_ms);

/* Closes with -ETIMEDOUT in TIMEOUT_MS from now, unless called again; 0: no deadline (the start).
 */
void connection_set_deadline(struct connection *connection, uint64_t timeout_ms);

/* Who was at the other end when the connection was made. Valid as long as the connection. */
const struct peer_credentials *connection_peer(const struct connection *connection);

/* Whether it was in GROUP then (peer_is_in_group()). */
bool connection_peer_is_in_group(const struct connection *connection, gid_t group);

/* As given to connection_accept() or connection_connect(); may be changed, e.g. when a hello tells
 * what the peer is. */
void connection_set_events(struct connection *connection, const struct connection_events *events,
                           void *owner);
void *connection_owner(const struct connection *connection);

#endif
