/* Stacks of markers: captured by the thread itself, at once, for profd_stack_capture() and
 * profd_with_stack_now().
 *
 * The thread unwinds its own stack in a sample room (child-agent/sampler/sample_room.h): nothing of
 * the program is called or held. A signal handler that interrupted a recording gets none. */
#ifndef PROFD_AGENT_MARKER_STACK_H
#define PROFD_AGENT_MARKER_STACK_H

#include <stdbool.h>

#include "profd.h"

/* Whether STACK stands for that of this very moment, told by what it holds: a program that has
 * libprofd.a inside has a profd_stack_now_ of its own. */
bool marker_stack_is_now(const struct profd_stack *stack);

/* As profd_stack_capture(), without the frames whose stack address (CFA) is at or below BOUNDARY:
 * the profiler's own. */
void marker_stack_capture(struct profd_stack *stack, const void *boundary);

/* The boundary of the function that says this: everything that it called, and itself. */
#define MARKER_STACK_HERE ((const char *)__builtin_frame_address(0) + 2 * sizeof(void *))

#endif
