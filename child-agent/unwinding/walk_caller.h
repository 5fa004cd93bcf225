/* From one frame of a walk to its caller, by whatever leads there. */
#ifndef PROFD_AGENT_WALK_CALLER_H
#define PROFD_AGENT_WALK_CALLER_H

#include "child-agent/unwinding/walk.h"

/* Finds CALLER, the caller of the frame that WALK is at. WALK_AT_ROOT: there is none; CALLER has
 * the root's own stack pointer then. */
enum walk_end walk_find_caller(struct unwinder *unwinder, struct walk *walk,
                               struct unwind_state *caller);

#endif
