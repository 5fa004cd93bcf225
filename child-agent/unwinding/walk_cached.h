/* The hot part of a walk: frames whose rules are simple and in the cache. */
#ifndef PROFD_AGENT_WALK_CACHED_H
#define PROFD_AGENT_WALK_CACHED_H

#include "child-agent/unwinding/walk.h"

/* Advances WALK, whose stack pointer is inside its stack, as long as the cache has simple rules and
 * the frames stay inside the stack; possibly by no frame at all. */
void walk_cached(struct unwinder *unwinder, struct walk *walk);

#endif
