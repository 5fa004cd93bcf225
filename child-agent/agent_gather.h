/* Gathering in the agent: makes this process' JSON beside the program, on a thread of its own. */
#ifndef PROFD_AGENT_AGENT_GATHER_H
#define PROFD_AGENT_AGENT_GATHER_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/messages.h"

/* Starts making the profile; -EBUSY while another is being made. Agent thread. */
int agent_gather_start(const struct message_gather_profile *gather);

/* The gathering under way, or 0. */
uint64_t agent_gather_id(void);

/* How far it is, of PROGRESS_SCALE. */
uint32_t agent_gather_proportion(void);

/* Whether it has finished; if so it is over, and *FD is the finished memfd (the caller's; -1 on
 * error), *JSON_BYTES its length, *ERROR 0 or negative. */
bool agent_gather_take(int *fd, uint64_t *json_bytes, int *error);

/* Waits for the end of the one under way, which nobody will take: the agent thread is gone. */
void agent_gather_wait(void);

/* In a forked child: there is none. */
void agent_gather_reset(void);

#endif
