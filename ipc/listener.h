/* The socket that connections come in by, on an event loop.
 *
 * For profd only. Everything here belongs to the loop's thread and never blocks; no call-back is
 * made from inside a function of this header. The socket file's folder, lock and leftovers are
 * ipc/socket_file.h's.
 *
 * Who may connect: the kernel asks the socket file's mode and the modes of the folders above it.
 * The file has mode 0666, because an agent whose process changed user (a server that dropped
 * privileges, `su -c`) must still get in; so the folder decides. /tmp/profd-UID and
 * $XDG_RUNTIME_DIR have 0700: only the same user and root reach the socket. `profctl run` makes a
 * folder of its own with 0711. What a peer may do once it is in is decided by the owner from
 * connection_peer(), which is the kernel's word. */
#ifndef PROFD_IPC_LISTENER_H
#define PROFD_IPC_LISTENER_H

#include <stdint.h>
#include <uv.h>

#include "ipc/socket.h"

enum { LISTENER_ERROR_TEXT = 512 };

struct listener;

/* FD is the call-back's: connection_accept() takes it, or close it. */
typedef void (*listener_on_accept)(struct listener *listener, int fd,
                                   const struct peer_credentials *peer, void *owner);
typedef void (*listener_on_closed)(void *owner);

/* Listens at PATH (from socket_path()). Makes /tmp/profd-UID with mode 0700 when PATH is in it, and
 * refuses (-EPERM) when that directory belongs to another user or others may write to it. Holds a
 * lock on PATH.lock while it lives, so of two that start at once one gets -EADDRINUSE, and so does
 * one that finds a living listener there; the socket file of a dead one is replaced; anything else
 * at PATH stays and is -EEXIST. On failure ERROR_TEXT (LISTENER_ERROR_TEXT bytes) has one line for
 * people that names the path. */
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
