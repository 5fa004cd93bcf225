/* The stack of a snapshot: unwound and merged with the labels. For agent threads and signal
 * handlers. */
#ifndef PROFD_AGENT_SNAPSHOT_STACK_H
#define PROFD_AGENT_SNAPSHOT_STACK_H

#include <stdbool.h>
#include <stddef.h>

#include "child-agent/sampler/stack_merge.h"
#include "child-agent/threads/thread_registration.h"
#include "child-agent/unwinding/snapshot.h"

/* Unwinds SNAPSHOT of THREAD into NATIVE, innermost frame first. Returns the number of frames.
 * *IS_COMPLETE says whether the last one is the outermost. */
size_t snapshot_unwind(const struct snapshot *snapshot, const struct thread_registration *thread,
                       struct unwind_frame native[SAMPLE_MAX_FRAMES], bool *is_complete);

/* Like snapshot_unwind(), merged with the labels into MERGED, outermost frame first. NATIVE is
 * scratch space. */
size_t snapshot_stack(const struct snapshot *snapshot, const struct thread_registration *thread,
                      struct unwind_frame native[SAMPLE_MAX_FRAMES],
                      struct stack_frame merged[SAMPLE_MAX_FRAMES], bool *is_complete);

/* Counts that the stack of a sample is not complete. Counted separately where the kernel refuses to
 * read memory. */
void snapshot_count_truncated(void);

#endif
