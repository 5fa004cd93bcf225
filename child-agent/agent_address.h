/* Where profd listens for this process. */
#ifndef PROFD_AGENT_AGENT_ADDRESS_H
#define PROFD_AGENT_AGENT_ADDRESS_H

#include <stdbool.h>
#include <sys/un.h>

struct agent_address {
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
    /* Nobody specified the path, so it is in a folder that others could have made. Whoever listens
     * there must be this process's user or root. */
    bool is_default;
};

/* Connects to the profd that listens at ADDRESS. Returns the descriptor, which the caller owns. It
 * is non-blocking, close-on-exec, and out of the way of the program's descriptors. Errors: -EACCES
 * if a stranger listens there, -EAGAIN if profd is busy, -ECONNREFUSED or -ENOENT if there is no
 * profd, or another negative errno. Any thread. */
int agent_address_connect(const struct agent_address *address);

#endif
