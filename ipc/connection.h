/* Connections on an event loop: messages in, messages out, and the socket that accepts them.
 *
 * For profd and profctl only; nothing else in ipc/ knows libuv. Everything here belongs to the
 * loop's thread and never blocks. No call-back is made from inside a function of this header: they
 * come from the loop, so the owner may call anything here from anywhere, also connection_close() in
 * on_message.
 *
 * Who may connect: the kernel asks the socket file's mode and the modes of the folders above it.
 * The file has mode 0666, because an agent whose process changed user (a server that dropped
 * privileges, `su -c`) must still get in; so the folder decides. /tmp/profd-UID and
 * $XDG_RUNTIME_DIR have 0700: only the same user and root reach the socket. `profctl run` makes a
 * folder of its own with 0711. What a peer may do once it is in is decided by the owner from
 * connection_peer(), which is the kernel's word. */
#ifndef PROFD_IPC_CONNECTION_H
#define PROFD_IPC_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "ipc/socket.h"

enum {
    CONNECTION_MAX_QUEUED_BYTES = 4 * 1024 * 1024, /* for a peer that doesn't read */
    LISTENER_ERROR_TEXT = 512,
};

struct connection;

struct connection_events {
    /* A whole message of a known or unknown KIND (positive; see message_peek_kind()). PAYLOAD is
     * the frame's payload, for message_get_X(), and valid until the return. FDS are the descriptors
     * that came with it: the owner keeps one by putting -1 in its place; the others are closed
     * afterwards. */
    void (*on_message)(struct connection *connection, unsigned kind, const uint8_t *payload,
                       size_t bytes, int *fds, size_t fd_count, void *owner);
    /* The end, exactly once for every connection that was handed out, whoever closed it. Whatever
     * the peer had sent before it ended was delivered first. REASON is negative: -ESHUTDOWN when
     * the peer ended the stream, -EPROTO for bytes that are no message, -ENOBUFS for a peer that
     * doesn't read, -ETIMEDOUT at the deadline, another errno, or what connection_close() was told.
     * CONNECTION is freed after this. */
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

/* The socket file's folder, lock and leftovers are ipc/socket_file.h's. */
struct listener;

/* FD is the call-back's: connection_accept() takes it, or close it. */
typedef void (*listener_on_accept)(struct listener *listener, int fd,
                                   const struct peer_credentials *peer, void *owner);
typedef void (*listener_on_closed)(void *owner);

/* Listens at PATH (from socket_path()). Makes /tmp/profd-UID with mode 0700 when PATH is in it, and
 * refuses
 * (-EPERM) when that is not a directory of ours or others may write to it. Holds a lock on
 * PATH.lock while it lives, so of two that start at once one gets -EADDRINUSE, as does who finds a
 * living one there; the socket file of a dead one is replaced; anything else at PATH stays and is
 * -EEXIST. On failure ERROR_TEXT (LISTENER_ERROR_TEXT bytes) has one line for people that names the
 * path. */
int listener_create(uv_loop_t *loop, const char *path, listener_on_accept on_accept, void *owner,
                    struct listener **out, char error_text[LISTENER_ERROR_TEXT]);

/* The same with the socket FD that a service manager listens with; taken over on every path. */
int listener_adopt(uv_loop_t *loop, int fd, listener_on_accept on_accept, void *owner,
                   struct listener **out, char error_text[LISTENER_ERROR_TEXT]);

/* Where it listens, as long as it does. */
const char *listener_path(const struct listener *listener);

/* How many were turned away because this process had no descriptor left for them. */
uint64_t listener_turned_away(const struct listener *listener);

/* Stops listening and removes the socket file and the lock, at once; frees later, from the loop,
 * calling ON_CLOSED (may be NULL) last. Safe to repeat until then. */
void listener_close(struct listener *listener, listener_on_closed on_closed);

#endif
