/* How far the frame pointer is above the stack pointer in functions at which looks have ended.
 *
 * A look from outside knows no registers but two. Where a function's frame is found from the frame
 * pointer, and no function that it called has saved that, the look ends there, and the thread is
 * asked. In a function whose frames have one size, the answer tells for all later looks. For the
 * sampler alone. */
#ifndef PROFD_AGENT_KNOWN_FRAMES_H
#define PROFD_AGENT_KNOWN_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "child-agent/threads/missed_frame.h"
#include "child-agent/unwinding/unwinder.h"

enum { KNOWN_FRAMES_MOST = 256 };

/* Begins as zeros. */
struct known_frames {
    struct known_frame {
        uint64_t pc;       /* 0: none */
        uint64_t distance; /* from the stack pointer to the frame pointer; 0: varies */
    } frames[KNOWN_FRAMES_MOST];
};

/* Returns the last of COUNT frames, at least 1, which are all that a look found. Pure. */
struct missed_frame missed_frame_of(const struct unwind_frame *frames, size_t count);

/* Returns where the stack pointer was in the last of the innermost COUNT frames of SNAPSHOT.
 * Pure. */
uint64_t missed_frame_stack_pointer(const struct snapshot *snapshot,
                                    const struct unwind_frame *frames, size_t count);

/* Notes the answer of a thread of which a look had ended at MISSED: SNAPSHOT, with COUNT frames,
 * which are all. Nothing is noted if they do not go through that frame. UNWINDER knows the
 * function. */
void known_frames_learn(struct known_frames *known, struct unwinder *unwinder,
                        const struct missed_frame *missed, const struct snapshot *snapshot,
                        const struct unwind_frame *frames, size_t count);

/* Returns whether the distance is known in the function that returns to PC, or is at it. */
bool known_frames_find(const struct known_frames *known, uint64_t pc, uint64_t *distance);

#endif
