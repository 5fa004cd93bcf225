/* Whether who is at the other end of a Unix socket belongs to a group. For profd alone: it
 * allocates. */
#ifndef PROFD_IPC_PEER_GROUP_H
#define PROFD_IPC_PEER_GROUP_H

#include <stdbool.h>
#include <sys/types.h>

/* By the peer's own group or a supplementary one, as they were when the connection was made. False,
 * too, when the kernel does not tell or there is no memory. */
bool peer_is_in_group(int fd, gid_t group);

#endif
