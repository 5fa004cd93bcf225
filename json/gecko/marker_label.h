/* Labels of marker schemas: text with references in braces to parts of a marker or to its fields:
 * "{marker.name}: {marker.data.path}", "{marker.data.hit ? 'hit' : 'miss'}". Pure. */
#ifndef PROFD_JSON_MARKER_LABEL_H
#define PROFD_JSON_MARKER_LABEL_H

#include <stdbool.h>

#include "buffer/marker_schema.h"

/* Whether viewers understand all of LABEL, and SCHEMA has every field that LABEL names. */
bool marker_label_is_valid(struct arena_string label, const struct marker_schema *schema);

/* Whether KEY (empty: none) can be the field with a colour's name: a field of SCHEMA that is
 * written as a string. */
bool marker_colour_is_valid(struct arena_string key, const struct marker_schema *schema);

#endif
