#include "child-agent/agent_address.h"

#include <errno.h>
#include <unistd.h>

#include "child-agent/guest/brief_descriptor.h"
#include "child-agent/guest/descriptor.h"
#include "ipc/socket.h"

static int reach_trusted(int fd, const struct agent_address *address)
{
    int error = socket_reach(fd, address->path);
    if (error < 0)
        return error;
    return address->is_default && !socket_peer_is_trusted(fd) ? -EACCES : 0;
}

int agent_address_connect(const struct agent_address *address)
{
    int fd = socket_make(descriptor_minimum());
    if (fd < 0)
        return fd;
    struct brief_descriptor noted = brief_descriptor_note(fd);
    int error = reach_trusted(fd, address);
    if (error < 0) {
        brief_descriptor_close(&noted);
        return error;
    }
    brief_descriptor_forget(&noted); /* it may be here to stay */
    return fd;
}
