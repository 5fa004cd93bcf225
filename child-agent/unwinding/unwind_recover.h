/* Finds the value that a register had in an outer frame, for the few rules that need a register
 * which is not carried along. It is followed through the frames already found, from the snapshot
 * outwards, by their tables. */
#ifndef PROFD_AGENT_UNWIND_RECOVER_H
#define PROFD_AGENT_UNWIND_RECOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "child-agent/unwinding/modules.h"
#include "child-agent/unwinding/snapshot.h"
#include "child-agent/unwinding/unwinder.h"

/* Gets register NUMBER (DWARF's) in the caller of the COUNT frames at FRAMES; with 0 frames, in the
 * innermost frame. Returns false if one of them does not say. MODULES must be entered. */
bool unwind_recover_register(struct module_map *modules, const struct snapshot *snapshot,
                             const struct unwind_frame *frames, size_t count, uint32_t number,
                             uint64_t *out);

#endif
