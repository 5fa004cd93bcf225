/* Gathering in the agent: makes the JSON of this process on a thread of its own, while the program
 * runs. */
#ifndef PROFD_AGENT_AGENT_GATHER_H
#define PROFD_AGENT_AGENT_GATHER_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/messages.h"

/* Starts making the profile. Returns 0, or -EBUSY while another one is being made. Agent thread. */
int agent_gather_start(const struct message_gather_profile *gather);

/* Returns the id of the gathering in progress, or 0. */
uint64_t agent_gather_id(void);

/* Returns the progress of the gathering, from 0 to PROGRESS_SCALE. */
uint32_t agent_gather_proportion(void);

/* Returns whether the gathering has finished, and if so ends it. *FD is the finished memfd, which
 * the caller then owns (-1 on error), *JSON_BYTES is its length, and *ERROR is 0 or negative. */
bool agent_gather_take(int *fd, uint64_t *json_bytes, int *error);

/* Waits for the gathering in progress to end. Nobody will take its result, since the agent thread
 * is gone. */
void agent_gather_wait(void);

/* Forgets the parent's gathering in a forked child. */
void agent_gather_reset(void);

#endif
