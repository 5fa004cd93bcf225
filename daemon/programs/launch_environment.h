/* The environment of a supervised command: its own variables, and those that its agents need.
 * Pure. */
#ifndef PROFD_DAEMON_LAUNCH_ENVIRONMENT_H
#define PROFD_DAEMON_LAUNCH_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/messages.h"

struct launch_agent {
    const char *library;      /* path of libprofd.so, put in front of LD_PRELOAD */
    const char *malloc_hooks; /* path of libprofd-malloc.so, for sessions with allocations */
    const char *socket;
    /* The session that is on: agents record from their start, before they are connected. Generation
     * 0: there is none, and they wait for one. */
    struct message_session session;
};

/* Whether the session records allocations, for which the malloc hooks are needed. */
bool launch_wants_malloc_hooks(const struct launch_agent *agent);

/* BASE has strings "NAME=value", each terminated by NUL, BASE_BYTES in all. *OUT is
 * NULL-terminated and a single allocation, to be freed with free(). Returns 0; -EINVAL if BASE
 * does not end with NUL, or the library's path has a character that LD_PRELOAD cannot hold (space,
 * colon); -ENOMEM. */
int launch_environment_build(const char *base, size_t base_bytes, const struct launch_agent *agent,
                             char ***out);

/* Removes the agent and its hooks from LD_PRELOAD in ENVIRONMENT, which launch_environment_build()
 * made, for a program that cannot run with them. */
void launch_environment_drop_agent(char **environment);

#endif
