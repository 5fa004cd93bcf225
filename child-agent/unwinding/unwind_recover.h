/* The value that a register had in a frame further out, for the few rules that need one which isn't
 * carried along: it is followed through the frames already found, from the snapshot outwards, by
 * their tables. */
#ifndef PROFD_AGENT_UNWIND_RECOVER_H
#define PROFD_AGENT_UNWIND_RECOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "child-agent/unwinding/modules.h"
#include "child-agent/unwinding/snapshot.h"
#include "child-agent/unwinding/unwinder.h"

/* Register NUMBER (DWARF's) in the caller of the COUNT frames at FRAMES; 0 frames: in the
 * innermost. False: one of them doesn't tell. With MODULES entered. */
bool unwind_recover_register(struct module_map *modules, const struct snapshot *snapshot,
                             const struct unwind_frame *frames, size_t count, uint32_t number,
                             uint64_t *out);

#endif
