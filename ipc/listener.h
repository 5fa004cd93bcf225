/* The socket at which profd accepts connections, on an event loop.
 *
 * For profd only. Everything here belongs to the loop's thread and never blocks; no callback is
 * made from inside a function of this header. ipc/socket_file.h takes care of the socket file's
 * folder, its lock, and what an earlier profd left.
 *
 * Who may connect is decided by the modes of the socket file and of the folders above it. The file
 * has mode 0666, because an agent whose process changed its user (a server that dropped privileges,
 * `su -c`) must still be able to connect; so the folder decides. /tmp/profd-UID and
 * $XDG_RUNTIME_DIR have 0700: only the same user and root reach the socket. `profctl run` makes a
 * folder of its own with 0711. What a connected peer may do is decided by the owner, by
 * connection_peer(), which the kernel vouches for. */
#ifndef PROFD_IPC_LISTENER_H
#define PROFD_IPC_LISTENER_H

#include <stdint.h>
#include <uv.h>

#include "ipc/socket.h"

enum { LISTENER_ERROR_TEXT = 512 };

struct listener;

/* The callback owns FD: pass it to connection_accept(), or close it. */
typedef void (*listener_on_accept)(struct listener *listener, int fd,
                                   const struct peer_credentials *peer, void *owner);
typedef void (*listener_on_closed)(void *owner);

/* Listens at PATH (from socket_path()). If PATH is in /tmp/profd-UID, makes that folder with mode
 * 0700, or returns -EPERM if it belongs to another user or others may write to it. Holds a lock on
 * PATH.lock, so if two start at once, one of them gets -EADDRINUSE, as does one that finds a living
 * listener there. The socket file of a dead profd is replaced; anything else at PATH is left alone
 * and is -EEXIST. On failure ERROR_TEXT has one line for people that names the path. */
int listener_create(uv_loop_t *loop, const char *path, listener_on_accept on_accept, void *owner,
                    struct listener **out, char error_text[LISTENER_ERROR_TEXT]);

/* The same with FD, a listening socket from a service manager, which is taken over on every
 * path. */
int listener_adopt(uv_loop_t *loop, int fd, listener_on_accept on_accept, void *owner,
                   struct listener **out, char error_text[LISTENER_ERROR_TEXT]);

/* Where it listens. Valid until listener_close(). */
const char *listener_path(const struct listener *listener);

/* How many connections were turned away because this process had no descriptor left. */
uint64_t listener_turned_away(const struct listener *listener);

/* Stops listening and removes the socket file and the lock at once. The memory is freed later, from
 * the loop, which calls ON_CLOSED (may be NULL) last. Safe to repeat until then. */
void listener_close(struct listener *listener, listener_on_closed on_closed);

#endif
