#include "ipc/peer_group.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "ipc/socket.h"

bool peer_is_in_group(int fd, gid_t group)
{
    enum { MOST_GROUPS = 65536 }; /* the kernel's NGROUPS_MAX */
    struct peer_credentials peer = { 0 };
    socklen_t bytes = 0;
    bool is_in_group = false;

    if (socket_peer(fd, &peer) == 0 && peer.gid == group)
        return true;
    /* Too small on purpose: the kernel answers with the size. */
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, NULL, &bytes) == 0 || errno != ERANGE)
        return false;
    if (bytes > MOST_GROUPS * sizeof(gid_t))
        return false;
    gid_t *groups = malloc(bytes);
    if (groups == NULL)
        return false;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &bytes) == 0) {
        for (size_t i = 0; i < bytes / sizeof(*groups) && !is_in_group; i++)
            is_in_group = groups[i] == group;
    }
    free(groups);
    return is_in_group;
}
