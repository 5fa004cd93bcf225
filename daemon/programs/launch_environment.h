/* The environment of a supervised command: its own, and what its agents need. Pure. */
#ifndef PROFD_DAEMON_LAUNCH_ENVIRONMENT_H
#define PROFD_DAEMON_LAUNCH_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/messages.h"

struct launch_agent {
    const char *library;      /* path of libprofd.so, goes in front of LD_PRELOAD */
    const char *malloc_hooks; /* path of libprofd-malloc.so, in front of that when the session asks
                               * for allocations */
    const char *socket;
    /* A session that is on: agents record from the start, before they are connected. generation 0:
     * they wait to be told. */
    struct message_session session;
};

/* Whether the session asks for what the hooks of malloc tell. */
bool launch_wants_malloc_hooks(const struct launch_agent *agent);

/* BASE is strings "NAME=value", each terminated by NUL, BASE_BYTES in all. *OUT is NULL-terminated
 * and one allocation, freed with free(). -EINVAL when BASE does not end with NUL or when the
 * library's path has a character that LD_PRELOAD cannot hold (space, colon); -ENOMEM. */
int launch_environment_build(const char *base, size_t base_bytes, const struct launch_agent *agent,
                             char ***out);

/* Takes the agent and its hooks off LD_PRELOAD in ENVIRONMENT, as launch_environment_build() made
 * it: the program would not bear them. */
void launch_environment_drop_agent(char **environment);

#endif
