/* A hostile user: opens connections to $PROFD_SOCKET and says nothing, COUNT at a time and again
 * those that profd has closed, until it is ended. Once it has tried COUNT it makes FILE.
 *
 * flood COUNT FILE
 * flood COUNT FILE half   begins a message in each, with descriptors */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 100000, PASSED = 4 };

static int connections[MOST];
static struct sockaddr_un address = { .sun_family = AF_UNIX };

static void begin_a_message(int fd)
{
    int passed[PASSED] = { fd, fd, fd, fd };
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(passed))] = { 0 };
    char bytes[] = { 100, 0, 0 };
    struct iovec part = { .iov_base = bytes, .iov_len = sizeof(bytes) };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
    };
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(passed));
    memcpy(CMSG_DATA(header), passed, sizeof(passed));
    (void)sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* A descriptor, or -1: not now. */
static int come_in(bool begins)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -1;
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0) {
        if (begins)
            begin_a_message(fd);
        return fd;
    }
    close(fd);
    return -1;
}

static bool was_thrown_out(int fd)
{
    char byte;
    ssize_t got = recv(fd, &byte, 1, MSG_DONTWAIT);

    return got == 0 || (got < 0 && errno != EAGAIN);
}

int main(int argc, char **argv)
{
    bool begins = argc > 3 && strcmp(argv[3], "half") == 0;
    int count = argc > 2 ? atoi(argv[1]) : 0;
    char early_name[4096];
    struct rlimit limit;

    if (count <= 0 || count > MOST || getenv("PROFD_SOCKET") == NULL)
        return 2;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
    /* While there are descriptors: it gets its name once all are taken. */
    snprintf(early_name, sizeof(early_name), "%s.new", argv[2]);
    close(open(early_name, O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", getenv("PROFD_SOCKET"));
    memset(connections, -1, sizeof(connections));
    for (bool is_first = true;; is_first = false) {
        for (int i = 0; i < count; i++) {
            if (connections[i] >= 0 && was_thrown_out(connections[i])) {
                close(connections[i]);
                connections[i] = -1;
            }
            if (connections[i] < 0)
                connections[i] = come_in(begins);
        }
        if (is_first)
            (void)rename(early_name, argv[2]);
    }
}
