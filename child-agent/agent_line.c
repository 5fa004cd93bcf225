#include "child-agent/agent_line.h"

#include <errno.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "child-agent/agent_lease.h"
#include "child-agent/guest/descriptor.h"
#include "ipc/messages.h"
#include "ipc/protocol_version.h"
#include "ipc/socket.h"

enum { WORD_BYTES = 64 }; /* more than a message without fields takes */

/* Sends a message without fields in one piece: others may be sending by the same line. FD (-1:
 * none) goes with it. 0 or -errno. */
static int send_word(int line, enum message_kind kind, int fd)
{
    uint8_t message[WORD_BYTES];
    long count = message_put_empty(message, sizeof(message), kind);
    return count < 0 ? (int)count : socket_send_whole(line, message, (size_t)count, fd);
}

int agent_line_open(const struct agent_address *address)
{
    if (descriptor_is_ours(DESCRIPTOR_LINE))
        return 0;
    if (agent_lease_protocol_minor() < PROTOCOL_MINOR_OF_LINES)
        return -EOPNOTSUPP;
    int fd = agent_address_connect(address);
    if (fd < 0)
        return fd;
    int error = send_word(fd, MESSAGE_LINE, -1);
    if (error < 0) {
        close(fd);
        return error;
    }
    descriptor_remember(DESCRIPTOR_LINE, fd);
    return 0;
}

int agent_line_connect(void)
{
    int line = descriptor_number(DESCRIPTOR_LINE);
    int ends[2];
    if (line < 0)
        return -ENOTCONN;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) < 0)
        return -errno;
    int error = send_word(line, MESSAGE_CONNECTION, ends[1]);
    close(ends[1]);
    int own = error == 0 ? descriptor_move_high(ends[0]) : error;
    if (own < 0)
        close(ends[0]);
    return own;
}

int agent_line_reach_profd(const struct agent_address *address)
{
    int fd = agent_address_connect(address);
    if (fd >= 0)
        return fd;
    int by_line = agent_line_connect();
    return by_line >= 0 ? by_line : fd;
}

void agent_line_close(void)
{
    descriptor_close(DESCRIPTOR_LINE);
}
