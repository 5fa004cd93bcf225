/* The frame that the kernel makes for a signal handler. Its layout on x86-64 never changes.
 *
 * The handler returns to a few bytes of code that ask the kernel to continue where the signal
 * interrupted; rsp then points to a ucontext with all registers of the interrupted code. */
#ifndef PROFD_AGENT_UNWIND_SIGNAL_FRAME_H
#define PROFD_AGENT_UNWIND_SIGNAL_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/unwinding/snapshot.h"
#include "child-agent/unwinding/unwind_state.h"

/* Returns whether a signal handler returns to PC, judging by the code there, since some C libraries
 * have no tables for it. */
bool unwind_is_signal_return(uint64_t pc);

/* Gets register NUMBER (DWARF's) of the interrupted code, when RSP points to the ucontext. */
bool unwind_signal_register(const struct stack_view *stack, uint64_t rsp, uint32_t number,
                            uint64_t *out);

/* Finds what was interrupted by the handler that returns to STATE. It is on the same stack, unless
 * the handler has a stack of its own. */
bool unwind_leave_signal(const struct unwind_state *state, struct unwind_state *interrupted);

#endif
