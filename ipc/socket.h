/* Unix sockets: where profd listens, who is at the other end, and passing descriptors.
 *
 * Plain system calls for both sides; no event loop (ipc/connection.h has that). No function here
 * blocks but socket_connect_patiently(), and none raises SIGPIPE or uses malloc. */
#ifndef PROFD_IPC_SOCKET_H
#define PROFD_IPC_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/un.h>

enum { SOCKET_MAX_DESCRIPTORS = 4 };

/* Who the kernel says is at the other end. */
struct peer_credentials {
    pid_t pid;
    uid_t uid;
    gid_t gid;
};

/* The path to use: EXPLICIT (may be NULL), else $PROFD_SOCKET, else $XDG_RUNTIME_DIR/profd.sock,
 * else /tmp/profd-UID/profd.sock (UID: the effective one). In a program that runs with privileges
 * of its file the environment isn't asked. 0, or -ENAMETOOLONG when it does not fit OUT. Makes
 * nothing. */
int socket_path(const char *explicit_path, char out[sizeof(((struct sockaddr_un *)0)->sun_path)]);

/* A non-blocking, close-on-exec stream connected to PATH, at a descriptor of at least MINIMUM_FD
 * (0: any). -EAGAIN when profd's backlog is full: try later; -EINVAL when the process's limit of
 * descriptors is not above MINIMUM_FD. */
int socket_connect(const char *path, int minimum_fd);

/* The same, from any descriptor on, but waits for a place in the backlog for PATIENCE_MS, in the
 * order in which others came to wait. */
int socket_connect_patiently(const char *path, unsigned patience_ms);

/* Sends BYTES and descriptors FDS (may be none; at most SOCKET_MAX_DESCRIPTORS) with the first
 * byte. Returns the bytes sent (fewer than asked when the buffer is full, the descriptors gone with
 * the first), or -EAGAIN, -EPIPE … */
ssize_t socket_send(int fd, const void *bytes, size_t count, const int *fds, size_t fd_count);

/* Receives up to COUNT bytes, and descriptors (close-on-exec, the caller's) into FDS; *FD_COUNT
 * tells how many. 0 at the end of the stream, -EAGAIN, or another negative errno; surplus
 * descriptors, and those for which this process has no number free, are closed.
 *
 * Descriptors of a socket_send() arrive with its first byte and never with a later send's bytes. So
 * when each send with descriptors is one message, they belong to the message of the last byte
 * received. */
ssize_t socket_receive(int fd, void *bytes, size_t count, int fds[SOCKET_MAX_DESCRIPTORS],
                       size_t *fd_count);

/* As the kernel recorded it when the connection was made. */
int socket_peer(int fd, struct peer_credentials *out);

/* Whether the peer may learn what programs did: it is the calling process' own user, or root. */
bool socket_peer_is_trusted(int fd);

#endif
