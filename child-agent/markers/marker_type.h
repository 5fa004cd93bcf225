/* Marker types as numbers of the dictionary, like sites. */
#ifndef PROFD_AGENT_MARKER_TYPE_H
#define PROFD_AGENT_MARKER_TYPE_H

#include <stdint.h>

#include "profd.h"

/* Writes TYPE into the dictionary unless this image has, and gives its index; 0 when there is no
 * room, or TYPE has more fields or longer texts than a record holds: counted. Under the sites'
 * lock. */
uint32_t marker_type_register(struct profd_marker_type *type);

/* In a forked child, which starts a dictionary of its own. */
void marker_type_after_fork_child(void);

#endif
