/* Where profd listens for this process. */
#ifndef PROFD_AGENT_AGENT_ADDRESS_H
#define PROFD_AGENT_AGENT_ADDRESS_H

#include <stdbool.h>
#include <sys/un.h>

struct agent_address {
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
    /* Nobody gave the path: it is in a folder that others could have made, so whoever listens there
     * must be this process' user or root. */
    bool is_default;
};

/* A connection to the profd that listens there, out of the way of the program's descriptors: the
 * caller's, non-blocking and close-on-exec. -EACCES when a stranger listens there, -EAGAIN when
 * profd is busy, -ECONNREFUSED or -ENOENT when there is no profd, … Any thread. */
int agent_address_connect(const struct agent_address *address);

#endif
