/* The caller of a frame by what the tables say of it, for the few places that say more than a
 * compact rule can: a return address that is in a register (vfork, longjmp, the C++ runtime where
 * it goes on in a handler), or a CFA and an rbp that are where no rule looks.
 *
 * Registers that are not carried along are followed from the snapshot outwards (unwind_recover.h).
 */
#ifndef PROFD_AGENT_UNWIND_BY_ROW_H
#define PROFD_AGENT_UNWIND_BY_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "child-agent/unwinding/modules.h"
#include "child-agent/unwinding/unwind_state.h"
#include "child-agent/unwinding/unwinder.h"

/* The frames that were found before, COUNT from the innermost of SNAPSHOT on. All borrowed. */
struct unwound {
    const struct snapshot *snapshot;
    const struct unwind_frame *frames;
    size_t count;
};

/* False: the tables do not tell, or only by what is lost. With MODULES entered; STATE is on the
 * stack that the snapshot shows. */
bool unwind_by_row(struct module_map *modules, const struct unwound *so_far,
                   const struct unwind_state *state, struct unwind_state *caller);

#endif
