/* Decides which copies of the process the agent follows. */
#ifndef PROFD_AGENT_INTERPOSE_COPIES_H
#define PROFD_AGENT_INTERPOSE_COPIES_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether a child that is created with clone() and FLAGS is a process of its own. Pure. */
bool interpose_copies_follows(uint64_t flags);

#endif
