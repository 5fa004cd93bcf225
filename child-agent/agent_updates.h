/* Chunk updates on their way to profd: folded until they are asked for. */
#ifndef PROFD_AGENT_AGENT_UPDATES_H
#define PROFD_AGENT_AGENT_UPDATES_H

#include <stdbool.h>

#include "buffer/chunk_manager.h"

/* Listens to MANAGER from now on. */
void agent_updates_listen(struct chunk_manager *manager);

/* Moves what has been folded since the last call into *OUT; false when there is nothing new. */
bool agent_updates_take(struct chunk_update *out);

void agent_updates_reset(void);

#endif
