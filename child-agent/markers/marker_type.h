/* Marker types, as numbers in the dictionary, like sites. */
#ifndef PROFD_AGENT_MARKER_TYPE_H
#define PROFD_AGENT_MARKER_TYPE_H

#include <stdint.h>

#include "profd.h"

/* Writes TYPE into the dictionary, unless this image has done so, and returns its index. Returns 0,
 * and counts it, if there is no room or TYPE has more fields or longer texts than a record can
 * hold. Called under the sites' lock. */
uint32_t marker_type_register(struct profd_marker_type *type);

/* Called in a forked child, which starts a dictionary of its own. */
void marker_type_after_fork_child(void);

#endif
