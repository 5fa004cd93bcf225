/* Gets the rule that leads from a frame of a walk to its caller: from the cache, or from the tables
 * of its module. */
#ifndef PROFD_AGENT_WALK_RULE_H
#define PROFD_AGENT_WALK_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/unwinding/walk.h"

/* Forgets the rules of modules that no longer exist, if GENERATION is new. Called between
 * module_map_enter() and module_map_leave(). */
void walk_rule_follow_modules(struct unwinder *unwinder, uint64_t generation);

/* Gets the rule for the current frame of WALK. *IS_FILLED says whether it was missing from the
 * cache. Returns false if it would have to be read while another thread is using the tables. */
bool walk_rule_get(struct unwinder *unwinder, struct walk *walk, struct unwind_rule *out,
                   bool *is_filled);

#endif
