/* Unix sockets: where profd listens, who the peer is, and passing descriptors.
 *
 * Plain system calls for both sides; no event loop (see ipc/connection.h). Only
 * socket_connect_patiently() blocks, and no function raises SIGPIPE or uses malloc. */
#ifndef PROFD_IPC_SOCKET_H
#define PROFD_IPC_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/un.h>

enum { SOCKET_MAX_DESCRIPTORS = 4 };

/* The peer, according to the kernel. */
struct peer_credentials {
    pid_t pid;
    uid_t uid;
    gid_t gid;
};

/* Determines the path to use: EXPLICIT_PATH (may be NULL), else $PROFD_SOCKET, else
 * $XDG_RUNTIME_DIR/profd.sock, else /tmp/profd-UID/profd.sock (with the effective UID). The
 * environment is ignored in a program that got privileges from its file. Creates nothing. Returns
 * 0, or -ENAMETOOLONG if the path does not fit OUT. */
int socket_path(const char *explicit_path, char out[sizeof(((struct sockaddr_un *)0)->sun_path)]);

/* Returns a non-blocking, close-on-exec stream socket connected to PATH, at a descriptor of at
 * least MINIMUM_FD (0: any); -EAGAIN if profd's backlog is full: try again later; -EINVAL if the
 * process's limit on descriptors is not above MINIMUM_FD; or another negative errno. */
int socket_connect(const char *path, int minimum_fd);

/* The two steps of it: makes the socket, and connects FD, which stays open if that fails. */
int socket_make(int minimum_fd);
int socket_reach(int fd, const char *path);

/* The same at any descriptor, but waits up to PATIENCE_MS for a place in the backlog, in turn with
 * others that wait. */
int socket_connect_patiently(const char *path, unsigned patience_ms);

/* Sends BYTES, and with the first byte the descriptors FDS (at most SOCKET_MAX_DESCRIPTORS, may be
 * none). Returns the number of bytes sent, which may be fewer than COUNT if the buffer is full (the
 * descriptors are then sent), or -EAGAIN, -EPIPE … */
ssize_t socket_send(int fd, const void *bytes, size_t count, const int *fds, size_t fd_count);

/* Sends all of a short message at once, with the descriptor PASSED (-1: none). Returns 0; -EIO if
 * the buffer took only a part; or an error of socket_send(). */
int socket_send_whole(int fd, const void *bytes, size_t count, int passed);

/* Receives up to COUNT bytes, and *FD_COUNT descriptors (close-on-exec, owned by the caller) into
 * FDS. Returns the number of bytes, 0 at the end of the stream, -EAGAIN, or another negative errno.
 * Surplus descriptors, and those for which this process has no number free, are closed.
 *
 * The descriptors of a socket_send() arrive with its first byte and never with the bytes of a later
 * send. So if each send with descriptors is one message, they belong to the message of the last
 * byte received. */
ssize_t socket_receive(int fd, void *bytes, size_t count, int fds[SOCKET_MAX_DESCRIPTORS],
                       size_t *fd_count);

/* Gets the peer as the kernel recorded it when the connection was made. Returns 0 or a negative
 * errno. */
int socket_peer(int fd, struct peer_credentials *out);

/* Whether the peer may learn what programs did: it runs as the calling process's user, or as
 * root. */
bool socket_peer_is_trusted(int fd);

#endif
