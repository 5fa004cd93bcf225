/* The stack that a snapshot shows: unwound, and with the labels in it. Threads of the agent, and
 * signal handlers. */
#ifndef PROFD_AGENT_SNAPSHOT_STACK_H
#define PROFD_AGENT_SNAPSHOT_STACK_H

#include <stdbool.h>
#include <stddef.h>

#include "child-agent/sampler/stack_merge.h"
#include "child-agent/threads/thread_registration.h"
#include "child-agent/unwinding/snapshot.h"

/* Unwinds what SNAPSHOT shows of THREAD into NATIVE, innermost first; returns how many frames there
 * are. *IS_COMPLETE: the last is the outermost. */
size_t snapshot_unwind(const struct snapshot *snapshot, const struct thread_registration *thread,
                       struct unwind_frame native[SAMPLE_MAX_FRAMES], bool *is_complete);

/* The same merged with the labels, outermost first, into MERGED; NATIVE is for the time being. */
size_t snapshot_stack(const struct snapshot *snapshot, const struct thread_registration *thread,
                      struct unwind_frame native[SAMPLE_MAX_FRAMES],
                      struct stack_frame merged[SAMPLE_MAX_FRAMES], bool *is_complete);

/* Counts that the stack of a sample is not complete; apart, where the kernel refuses to read
 * memory.
 */
void snapshot_count_truncated(void);

#endif
