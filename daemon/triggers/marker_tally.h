/* The markers that a child told of: it says how often each came in all, what counts is what is new.
 *
 * A tally is made with the first hit; most children have none. Pure. */
#ifndef PROFD_DAEMON_MARKER_TALLY_H
#define PROFD_DAEMON_MARKER_TALLY_H

#include <stdint.h>

struct marker_tally;

/* Of *TALLY (NULL: none yet), marker INDEX, below TRIGGERS_MAX, came HITS times in the session
 * GENERATION; tallies of others begin anew. *MORE: so many were not known. 0 or -ENOMEM. */
int marker_tally_note(struct marker_tally **tally, uint32_t generation, uint64_t index,
                      uint64_t hits, uint64_t *more);

/* Frees *TALLY, which is NULL then. */
void marker_tally_free(struct marker_tally **tally);

#endif
