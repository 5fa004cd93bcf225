/* Stacks of markers, which the thread captures itself, at once, for profd_stack_capture() and
 * profd_with_stack_now().
 *
 * The thread unwinds its own stack in a sample room (child-agent/sampler/sample_room.h); it calls
 * nothing of the program and holds none of its locks. A signal handler that interrupted recording
 * gets no stack. */
#ifndef PROFD_AGENT_MARKER_STACK_H
#define PROFD_AGENT_MARKER_STACK_H

#include <stdbool.h>

#include "profd.h"

/* Returns whether STACK stands for the stack of this very moment. Decided by its contents, since a
 * program that contains libprofd.a has a profd_stack_now_ of its own. */
bool marker_stack_is_now(const struct profd_stack *stack);

/* Like profd_stack_capture(), without the frames whose stack address (CFA) is at or below BOUNDARY:
 * those of the profiler itself. */
void marker_stack_capture(struct profd_stack *stack, const void *boundary);

/* The boundary that excludes the function that uses this, and everything that it has called. */
#define MARKER_STACK_HERE ((const char *)__builtin_frame_address(0) + 2 * sizeof(void *))

#endif
