/* Markers that last too long: which ones a session looks for, and how often each was seen.
 *
 * The recording thread compares one number, and counts in the arena; the agent's thread reports to
 * profd from time to time. Needs the arena. */
#ifndef PROFD_AGENT_MARKER_TRIGGERS_H
#define PROFD_AGENT_MARKER_TRIGGERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profd.h"

/* Intervals of fewer ticks trigger nothing; UINT64_MAX: nothing triggers. */
extern _Atomic uint64_t marker_triggers_least_ticks;

/* Sets the triggers of the session from lines of common/trigger.h; "" for none. Only while no
 * thread records, or while no triggers are set. Returns 0, or -EPROTO with no triggers set. */
int marker_triggers_set(const char *lines);

bool marker_triggers_are_set(void);

/* Notes that an interval of SITE lasted TICKS, which is at least marker_triggers_least_ticks.
 * Called by the recording thread. */
void marker_triggers_note(const struct profd_site *site, uint64_t ticks);

/* Finds the next trigger, from *INDEX on, that has been hit since it was last returned. Sets *INDEX
 * to it and *HITS to its hits in this session so far. Returns false if there are no more. Agent's
 * thread. */
bool marker_triggers_take(size_t *index, uint32_t *hits);

#endif
