#include "child-agent/agent_address.h"

#include <errno.h>
#include <unistd.h>

#include "child-agent/guest/descriptor.h"
#include "ipc/socket.h"

int agent_address_connect(const struct agent_address *address)
{
    int fd = socket_connect(address->path, descriptor_minimum());
    if (fd >= 0 && address->is_default && !socket_peer_is_trusted(fd)) {
        close(fd);
        return -EACCES;
    }
    return fd;
}
