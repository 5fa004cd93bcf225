#include "ipc/socket.h"

#include "common/path_join.h"
#include "common/time_units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATH_BYTES = sizeof(((struct sockaddr_un *)0)->sun_path) };

static const char *environment_path(const char *name)
{
    const char *value = secure_getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

int socket_path(const char *explicit_path, char out[sizeof(((struct sockaddr_un *)0)->sun_path)])
{
    const char *path = explicit_path != NULL ? explicit_path : environment_path("PROFD_SOCKET");
    const char *runtime_directory = environment_path("XDG_RUNTIME_DIR");
    if (path != NULL)
        return path_join(out, PATH_BYTES, path, "");
    if (runtime_directory != NULL)
        return path_join(out, PATH_BYTES, runtime_directory, "/profd.sock");
    snprintf(out, PATH_BYTES, "/tmp/profd-%u/profd.sock", (unsigned)geteuid());
    return 0;
}

/* FD moved to MINIMUM or above; FD is closed on every path. */
static int raise_descriptor(int fd, int minimum)
{
    if (fd >= minimum)
        return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, minimum);
    int error = moved < 0 ? -errno : moved;
    close(fd);
    return error;
}

/* TYPE_FLAGS: SOCK_NONBLOCK or none. A socket at MINIMUM_FD or above. */
static int make_socket(int type_flags, int minimum_fd)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | type_flags, 0);
    return fd < 0 ? -errno : raise_descriptor(fd, minimum_fd);
}

int socket_make(int minimum_fd)
{
    return make_socket(SOCK_NONBLOCK, minimum_fd);
}

int socket_reach(int fd, const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    size_t length = strlen(path);

    if (length >= sizeof(address.sun_path))
        return -ENAMETOOLONG;
    memcpy(address.sun_path, path, length + 1);
    return connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : 0;
}

/* FD, or ERROR, with FD closed. */
static int fd_unless(int error, int fd)
{
    if (error == 0)
        return fd;
    close(fd);
    return error;
}

int socket_connect(const char *path, int minimum_fd)
{
    int fd = socket_make(minimum_fd);
    return fd < 0 ? fd : fd_unless(socket_reach(fd, path), fd);
}

static int reach_patiently(int fd, const char *path, unsigned patience_ms)
{
    const struct timeval patience = { patience_ms / MS_PER_S, patience_ms % MS_PER_S * US_PER_MS };

    if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) < 0)
        return -errno;
    int error = socket_reach(fd, path);
    if (error < 0)
        return error;
    return fcntl(fd, F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

int socket_connect_patiently(const char *path, unsigned patience_ms)
{
    int fd = make_socket(0, 0);
    return fd < 0 ? fd : fd_unless(reach_patiently(fd, path, patience_ms), fd);
}

/* Room for descriptors beside the bytes, aligned as the kernel wants it. */
union descriptor_room {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(SOCKET_MAX_DESCRIPTORS * sizeof(int))];
};

static void attach_descriptors(struct msghdr *message, union descriptor_room *room, const int *fds,
                               size_t fd_count)
{
    memset(room, 0, sizeof(*room));
    message->msg_control = room->bytes;
    message->msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
    struct cmsghdr *header = CMSG_FIRSTHDR(message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
    memcpy(CMSG_DATA(header), fds, fd_count * sizeof(int));
}

ssize_t socket_send(int fd, const void *bytes, size_t count, const int *fds, size_t fd_count)
{
    if (count == 0 || fd_count > SOCKET_MAX_DESCRIPTORS)
        return -EINVAL;
    union descriptor_room room;
    struct iovec part = { .iov_base = (void *)bytes, .iov_len = count };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    if (fd_count > 0)
        attach_descriptors(&message, &room, fds, fd_count);

    ssize_t sent;
    do
        sent = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : sent;
}

int socket_send_whole(int fd, const void *bytes, size_t count, int passed)
{
    ssize_t sent = socket_send(fd, bytes, count, &passed, passed >= 0 ? 1 : 0);
    if (sent < 0)
        return (int)sent;
    return (size_t)sent == count ? 0 : -EIO;
}

/* Keeps up to SOCKET_MAX_DESCRIPTORS of what came in HEADER and closes the others. */
static void keep_descriptors(const struct cmsghdr *header, int *fds, size_t *fd_count)
{
    size_t arrived = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < arrived; i++) {
        int fd;
        memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(fd));
        if (*fd_count < SOCKET_MAX_DESCRIPTORS)
            fds[(*fd_count)++] = fd;
        else
            close(fd);
    }
}

ssize_t socket_receive(int fd, void *bytes, size_t count, int fds[SOCKET_MAX_DESCRIPTORS],
                       size_t *fd_count)
{
    union descriptor_room room;
    struct iovec part = { .iov_base = bytes, .iov_len = count };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = room.bytes,
                              .msg_controllen = sizeof(room.bytes) };
    *fd_count = 0;
    ssize_t received;
    do
        received = recvmsg(fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    while (received < 0 && errno == EINTR);
    if (received < 0)
        return -errno;

    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL;
         header = CMSG_NXTHDR(&message, header))
        if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
            keep_descriptors(header, fds, fd_count);
    return received;
}

int socket_peer(int fd, struct peer_credentials *out)
{
    struct ucred credentials;
    socklen_t length = sizeof(credentials);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) < 0)
        return -errno;
    *out = (struct peer_credentials){ .pid = credentials.pid,
                                      .uid = credentials.uid,
                                      .gid = credentials.gid };
    return 0;
}

bool socket_peer_is_trusted(int fd)
{
    struct peer_credentials peer = { 0 };
    return socket_peer(fd, &peer) == 0 && (peer.uid == 0 || peer.uid == geteuid());
}
