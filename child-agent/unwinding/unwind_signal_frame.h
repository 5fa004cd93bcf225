/* The frame that the kernel makes for a signal handler: x86-64's layout never changes.
 *
 * The handler returns to a few bytes of code that ask the kernel to go on where it interrupted; rsp
 * is then at a ucontext, which has all registers of the interrupted code. */
#ifndef PROFD_AGENT_UNWIND_SIGNAL_FRAME_H
#define PROFD_AGENT_UNWIND_SIGNAL_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/unwinding/snapshot.h"
#include "child-agent/unwinding/unwind_state.h"

/* Whether PC is where a handler returns to, by the code there: some C libraries have no tables for
 * it. */
bool unwind_is_signal_return(uint64_t pc);

/* Register NUMBER (DWARF's) of the interrupted code, when RSP is at the ucontext. */
bool unwind_signal_register(const struct stack_view *stack, uint64_t rsp, uint32_t number,
                            uint64_t *out);

/* What was interrupted by the handler that returns to STATE: on the same stack, unless the handler
 * has one of its own. */
bool unwind_leave_signal(const struct unwind_state *state, struct unwind_state *interrupted);

#endif
