#include "profctl/view/view_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WAITING_MAX = 64 };

static int bind_and_listen(int fd, uint16_t *port)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons(*port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof(address);
    int again = 1;

    /* Else a port stays taken for a minute after its last connection. */
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &again, sizeof(again)) < 0 ||
        bind(fd, (const struct sockaddr *)&address, length) < 0 || listen(fd, WAITING_MAX) < 0 ||
        getsockname(fd, (struct sockaddr *)&address, &length) < 0)
        return -errno;
    *port = ntohs(address.sin_port);
    return 0;
}

int view_socket_listen(uint16_t *port, int *fd)
{
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (made < 0)
        return -errno;
    int error = bind_and_listen(made, port);
    if (error < 0)
        close(made);
    else
        *fd = made;
    return error;
}
