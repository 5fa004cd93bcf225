/* Chunk updates on their way to profd: folded until they are asked for. */
#ifndef PROFD_AGENT_AGENT_UPDATES_H
#define PROFD_AGENT_AGENT_UPDATES_H

#include <stdbool.h>

#include "buffer/chunk_manager.h"

/* Listens to MANAGER from now on. */
void agent_updates_listen(struct chunk_manager *manager);

/* Moves what has been folded since the last call into *OUT; false when there is nothing new. */
bool agent_updates_take(struct chunk_update *out);

/* The calling thread of the agent is about to wait: the next update wakes it, by the sampling
 * signal. False when there is one already. */
bool agent_updates_await(void);

/* It has stopped waiting. */
void agent_updates_stop_awaiting(void);

void agent_updates_reset(void);

#endif
