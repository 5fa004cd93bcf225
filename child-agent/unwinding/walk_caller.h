/* From one frame of a walk to its caller, by whatever method works. */
#ifndef PROFD_AGENT_WALK_CALLER_H
#define PROFD_AGENT_WALK_CALLER_H

#include "child-agent/unwinding/walk.h"

/* Finds CALLER, the caller of the current frame of WALK. Returns WALK_AT_ROOT if there is none;
 * CALLER then has the root's own stack pointer. */
enum walk_end walk_find_caller(struct unwinder *unwinder, struct walk *walk,
                               struct unwind_state *caller);

#endif
