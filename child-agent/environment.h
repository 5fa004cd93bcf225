/* What the environment tells the agent. Read once by the constructor. */
#ifndef PROFD_AGENT_ENVIRONMENT_H
#define PROFD_AGENT_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>

enum { ENVIRONMENT_FILTERS_BYTES = 4096 };

struct environment {
    bool is_disabled;                        /* PROFD_DISABLE=1, or a setuid program */
    bool starts_up;                          /* PROFD_STARTUP=1: record from the constructor on */
    int signal_number;                       /* PROFD_SIGNAL, default SIGURG */
    uint32_t generation;                     /* PROFD_STARTUP_GENERATION */
    uint64_t interval_ns;                    /* PROFD_STARTUP_INTERVAL */
    uint64_t features;                       /* PROFD_STARTUP_FEATURES */
    uint64_t limit_bytes;                    /* PROFD_STARTUP_LIMIT */
    char filters[ENVIRONMENT_FILTERS_BYTES]; /* PROFD_STARTUP_FILTERS */
    bool is_default_socket; /* nobody named the socket: whoever listens there must be trusted first
                             */
    char socket_path[sizeof(((struct sockaddr_un *)0)->sun_path)]; /* "" when it can't be told */
};

/* Fills *OUT; values that make no sense count as not set. */
void environment_read(struct environment *out);

#endif
