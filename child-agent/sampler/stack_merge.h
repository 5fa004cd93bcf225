/* Merges native frames and labels into one stack, by stack address. Pure. Modelled on
 * MergeStacks. */
#ifndef PROFD_AGENT_STACK_MERGE_H
#define PROFD_AGENT_STACK_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "buffer/arena_reader.h"
#include "child-agent/unwinding/snapshot.h"
#include "child-agent/unwinding/unwinder.h"

/* Merges NATIVE_COUNT frames in NATIVE, innermost first, and LABEL_COUNT labels in LABELS,
 * outermost first. Writes the merged stack to OUT, outermost first; if it has more than CAPACITY
 * frames, the innermost ones are kept. Returns how many were written. A label comes directly inside
 * the function that pushed it. */
size_t stack_merge(const struct unwind_frame *native, size_t native_count,
                   const struct snapshot_label *labels, size_t label_count, struct stack_frame *out,
                   size_t capacity);

#endif
