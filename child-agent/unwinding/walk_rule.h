/* The rule that leads from a frame of a walk to its caller: from the cache, or read from the tables
 * of its module. */
#ifndef PROFD_AGENT_WALK_RULE_H
#define PROFD_AGENT_WALK_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/unwinding/walk.h"

/* Forgets the rules of modules that are no more when GENERATION is a new one. In between
 * module_map_enter() and module_map_leave(). */
void walk_rule_follow_modules(struct unwinder *unwinder, uint64_t generation);

/* The rule for the frame that WALK is at; IS_FILLED: it was not in the cache. False: it would have
 * to be read, and another thread is at the tables. */
bool walk_rule_get(struct unwinder *unwinder, struct walk *walk, struct unwind_rule *out,
                   bool *is_filled);

#endif
