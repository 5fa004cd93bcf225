/* Finds the caller of a frame by a full row of the tables, for the few places where the tables say
 * more than a compact rule can: a return address in a register (vfork, longjmp, the C++ runtime
 * where it continues in a handler), or a CFA and an rbp in places that no rule covers.
 *
 * Registers that are not carried along are followed from the snapshot outwards
 * (unwind_recover.h). */
#ifndef PROFD_AGENT_UNWIND_BY_ROW_H
#define PROFD_AGENT_UNWIND_BY_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "child-agent/unwinding/modules.h"
#include "child-agent/unwinding/unwind_state.h"
#include "child-agent/unwinding/unwinder.h"

/* The COUNT frames that have been found so far, from the innermost of SNAPSHOT on. All borrowed. */
struct unwound {
    const struct snapshot *snapshot;
    const struct unwind_frame *frames;
    size_t count;
};

/* Finds CALLER. Returns false if the tables do not say, or refer to something that is lost. MODULES
 * must be entered, and STATE must be on the stack of the snapshot. */
bool unwind_by_row(struct module_map *modules, const struct unwound *so_far,
                   const struct unwind_state *state, struct unwind_state *caller);

#endif
