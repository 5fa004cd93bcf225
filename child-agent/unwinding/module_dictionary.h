/* Libraries for the reader of a profile: writes what a module map finds into the dictionary of the
 * arena. */
#ifndef PROFD_AGENT_MODULE_DICTIONARY_H
#define PROFD_AGENT_MODULE_DICTIONARY_H

#include "child-agent/unwinding/modules.h"

/* The events for module_map_create(). Several maps may report the same library; that does no harm.
 * What finds no room is counted in the dictionary. */
extern const struct module_events module_dictionary_events;

#endif
