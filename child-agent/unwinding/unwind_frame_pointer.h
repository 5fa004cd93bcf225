/* The last resorts of unwinding, where no table helps: the chain of rbp, and the word at rsp.
 *
 * They are guesses, so a result is accepted only if its address is code. The module map must be
 * entered. */
#ifndef PROFD_AGENT_UNWIND_FRAME_POINTER_H
#define PROFD_AGENT_UNWIND_FRAME_POINTER_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/unwinding/modules.h"
#include "child-agent/unwinding/unwind_state.h"

/* Finds the caller by the frame that rbp points to. */
bool unwind_by_frame_pointer(const struct module_map *modules, const struct unwind_state *state,
                             struct unwind_state *caller);

/* Finds the caller on the assumption that the function at pc was just entered, so that rsp points
 * to the return address. Accepted only if that follows a call instruction. */
bool unwind_at_entry(const struct module_map *modules, const struct unwind_state *state,
                     struct unwind_state *caller);

#endif
