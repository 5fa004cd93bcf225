#include "daemon/journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

bool journal_stream_is(const char *stream, const struct stat *status)
{
    uintmax_t device, inode;
    int end = 0;

    return stream != NULL && sscanf(stream, "%ju:%ju%n", &device, &inode, &end) == 2 &&
           stream[end] == '\0' && device == status->st_dev && inode == status->st_ino;
}

bool journal_is_standard_error(void)
{
    struct stat status;

    return fstat(STDERR_FILENO, &status) == 0 &&
           journal_stream_is(getenv("JOURNAL_STREAM"), &status);
}

int journal_open(void)
{
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return fd < 0 ? -errno : fd;
}

int journal_send(int fd, const char *path, enum journal_priority priority, pid_t pid,
                 const char *message, size_t bytes)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    char before[64], after[64] = "\n";

    if (strlen(path) >= sizeof(address.sun_path))
        return -ENAMETOOLONG;
    strcpy(address.sun_path, path);
    int before_bytes = snprintf(before, sizeof(before),
                                "SYSLOG_IDENTIFIER=profd\nPRIORITY=%d\nMESSAGE=", (int)priority);
    int after_bytes =
        pid > 0 ? snprintf(after, sizeof(after), "\nPROFD_PROCESS=%d\n", pid) : (int)strlen(after);
    struct iovec parts[] = {
        { .iov_base = before, .iov_len = (size_t)before_bytes },
        { .iov_base = (void *)message, .iov_len = bytes },
        { .iov_base = after, .iov_len = (size_t)after_bytes },
    };
    const struct msghdr datagram = {
        .msg_name = &address,
        .msg_namelen = sizeof(address),
        .msg_iov = parts,
        .msg_iovlen = sizeof(parts) / sizeof(parts[0]),
    };
    ssize_t sent = sendmsg(fd, &datagram, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent < 0 ? -errno : 0;
}
