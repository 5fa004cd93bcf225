/* Chunk updates for profd, which are folded until they are requested. */
#ifndef PROFD_AGENT_AGENT_UPDATES_H
#define PROFD_AGENT_AGENT_UPDATES_H

#include <stdbool.h>

#include "buffer/chunk_manager.h"

/* Starts listening to MANAGER. */
void agent_updates_listen(struct chunk_manager *manager);

/* Moves what has been folded since the last call into *OUT. Returns false if there is nothing
 * new. */
bool agent_updates_take(struct chunk_update *out);

/* Announces that the agent thread is about to wait, so that the next update wakes it
 * (look_alarm_wake()). Returns false if there is an update already. */
bool agent_updates_await(void);

/* Announces that the thread has stopped waiting. */
void agent_updates_stop_awaiting(void);

void agent_updates_reset(void);

#endif
