/* Markers that last too long: which ones a session looks for, and how often each was seen.
 *
 * The thread that records compares one number, and counts in the arena; the agent's thread tells
 * profd, now and then. Needs the arena. */
#ifndef PROFD_AGENT_MARKER_TRIGGERS_H
#define PROFD_AGENT_MARKER_TRIGGERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profd.h"

/* No interval of fewer ticks triggers anything; UINT64_MAX: none does at all. */
extern _Atomic uint64_t marker_triggers_least_ticks;

/* The session's lines of common/trigger.h; "" none. Only while no thread records, or none were set.
 * 0, or -EPROTO with none. */
int marker_triggers_set(const char *lines);

bool marker_triggers_are_set(void);

/* SITE's interval lasted TICKS, at least marker_triggers_least_ticks. A thread that records. */
void marker_triggers_note(const struct profd_site *site, uint64_t ticks);

/* Agent's thread. The next marker, from *INDEX on, that was seen since it was last asked for, into
 * *INDEX, and its hits in this session so far. False: no more. */
bool marker_triggers_take(size_t *index, uint32_t *hits);

#endif
