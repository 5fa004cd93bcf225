/* Stacks of markers: captured by the thread itself, at once, for profd_stack_capture() and
 * profd_with_stack_now().
 *
 * The thread copies its own stack and unwinds the copy under a lock, with an unwinder apart from
 * the sampler's: nothing of the program is called or held. A signal handler that interrupted a
 * recording gets none. */
#ifndef PROFD_AGENT_MARKER_STACK_H
#define PROFD_AGENT_MARKER_STACK_H

#include "profd.h"

/* As profd_stack_capture(), without the frames whose stack address (CFA) is at or below BOUNDARY:
 * the profiler's own. */
void marker_stack_capture(struct profd_stack *stack, const void *boundary);

/* The boundary of the function that says this: everything that it called, and itself. */
#define MARKER_STACK_HERE ((const char *)__builtin_frame_address(0) + 2 * sizeof(void *))

/* Libraries may have gone; any thread, also inside dlclose. */
void marker_stack_modules_changed(void);

/* Around fork; the child makes an unwinder of its own when it needs one. */
void marker_stack_before_fork(void);
void marker_stack_after_fork_parent(void);
void marker_stack_unlock_in_child(void);
void marker_stack_after_fork_child(void);

#endif
