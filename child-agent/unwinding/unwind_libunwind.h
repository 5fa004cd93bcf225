/* The slow path: libunwind's remote cursor over the copy, for frames that no compact rule can
 * describe.
 *
 * libunwind-x86_64 is loaded when it is first needed, into a scope of its own: what it and its
 * dependencies export never meets the program's own functions. It is never unloaded. Where it isn't
 * installed, it answers "don't know". Of memory it is shown only the copy of the stack and the
 * modules' unwind tables. Sampler thread only. */
#ifndef PROFD_AGENT_UNWIND_LIBUNWIND_H
#define PROFD_AGENT_UNWIND_LIBUNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "child-agent/unwinding/modules.h"
#include "child-agent/unwinding/unwind_state.h"
#include "child-agent/unwinding/unwinder.h"

enum slow_step {
    SLOW_STEP_CALLER, /* found */
    SLOW_STEP_ROOT,   /* there is none */
    SLOW_STEP_FAILED, /* nothing is known */
};

struct slow_unwinder; /* opaque */

/* MODULES is borrowed. Nothing is loaded yet. -ENOMEM. */
int slow_unwinder_create(struct module_map *modules, struct slow_unwinder **out);
void slow_unwinder_destroy(struct slow_unwinder *slow);

/* The modules have changed: what was learnt from their tables goes. */
void slow_unwinder_forget(struct slow_unwinder *slow);

/* The next snapshot is walked: a cursor left in the last one is no longer used. */
void slow_unwinder_restart(struct slow_unwinder *slow);

/* The caller of STATE, which is frame INDEX (0: innermost). The cursor is started at the innermost
 * frame, with all registers, and follows to that one, for a frame may need registers that only the
 * frames before it tell. */
enum slow_step slow_unwinder_step(struct slow_unwinder *slow, const struct unwind_state *state,
                                  size_t index, struct unwind_state *caller);

/* All of SNAPSHOT by the cursor alone; 0 when libunwind isn't there. */
size_t slow_unwinder_walk(struct slow_unwinder *slow, const struct snapshot *snapshot,
                          struct unwind_frame *frames, size_t capacity);

#endif
