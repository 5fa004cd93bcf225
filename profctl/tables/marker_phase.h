/* The phases of markers, as the Gecko profile format numbers them, and which times go with each.
 * Pure. */
#ifndef PROFD_PROFCTL_MARKER_PHASE_H
#define PROFD_PROFCTL_MARKER_PHASE_H

#include <stdbool.h>

enum marker_phase { PHASE_INSTANT, PHASE_INTERVAL, PHASE_START, PHASE_END };

/* Returns whether a marker of PHASE has the time at which it begins; and that at which it ends. */
bool marker_phase_begins(enum marker_phase phase);
bool marker_phase_ends(enum marker_phase phase);

#endif
