/* The last resorts of unwinding, where no table tells: the chain of rbp, and the word at rsp.
 *
 * Guesses, so each is believed only when the address it gives is code. With the module
 * map entered. */
#ifndef PROFD_AGENT_UNWIND_FRAME_POINTER_H
#define PROFD_AGENT_UNWIND_FRAME_POINTER_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/unwinding/modules.h"
#include "child-agent/unwinding/unwind_state.h"

/* The caller by the frame that rbp points to. */
bool unwind_by_frame_pointer(const struct module_map *modules, const struct unwind_state *state,
                             struct unwind_state *caller);

/* The caller if the function at pc was just entered, so that rsp is at the return address: believed
 * only when that is behind a call instruction. */
bool unwind_at_entry(const struct module_map *modules, const struct unwind_state *state,
                     struct unwind_state *caller);

#endif
