/* Counts the marker hits that a child reports: it reports totals, of which only the increase is
 * new.
 *
 * A tally is created at the first hit; most children have none. Pure. */
#ifndef PROFD_DAEMON_MARKER_TALLY_H
#define PROFD_DAEMON_MARKER_TALLY_H

#include <stdint.h>

struct marker_tally;

/* Notes in *TALLY (NULL: none yet) that marker INDEX, below TRIGGERS_MAX, has had HITS hits in
 * session GENERATION; a tally of another session starts again. *MORE is the number of hits that
 * were not known before. Returns 0 or -ENOMEM. */
int marker_tally_note(struct marker_tally **tally, uint32_t generation, uint64_t index,
                      uint64_t hits, uint64_t *more);

/* Frees *TALLY and sets it to NULL. */
void marker_tally_free(struct marker_tally **tally);

#endif
