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

#endif
