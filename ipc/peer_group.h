/* Whether the process at the other end of a Unix socket belongs to a group. For profd only, since
 * it allocates. */
#ifndef PROFD_IPC_PEER_GROUP_H
#define PROFD_IPC_PEER_GROUP_H

#include <stdbool.h>
#include <sys/types.h>

/* Checks the peer's primary and supplementary groups, as they were when the connection was made.
 * Also returns false if the kernel does not tell, or memory is short. */
bool peer_is_in_group(int fd, gid_t group);

#endif
