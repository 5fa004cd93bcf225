/* Libraries for the reader of a profile: what a module map finds goes into the dictionary of the
 * arena. */
#ifndef PROFD_AGENT_MODULE_DICTIONARY_H
#define PROFD_AGENT_MODULE_DICTIONARY_H

#include "child-agent/unwinding/modules.h"

/* For module_map_create. A library may be told of by several maps: known twice does no harm. What
 * finds no room is counted in the dictionary. */
extern const struct module_events module_dictionary_events;

#endif
