/* What the agent tells profd of its own accord: finished profiles, the chunk update that profd
 * awaits, markers that lasted too long; and when the thread has to look for such news by itself.
 *
 * Agent thread only. */
#ifndef PROFD_AGENT_AGENT_NEWS_H
#define PROFD_AGENT_AGENT_NEWS_H

#include <stdbool.h>
#include <stdint.h>

struct agent_standing;

/* A connection begins: the first update may wait. */
void agent_news_begin(void);

/* Returns until when the thread may wait for profd, by the monotonic clock, given its STANDING.
 * LOOK_ALARM_NEVER: until profd says something, or an update that profd awaits wakes the thread. */
uint64_t agent_news_due_ns(const struct agent_standing *standing);

/* Sends what there is. Returns 0 or a negative errno, which ends the connection. */
int agent_news_send(struct agent_standing *standing);

#endif
