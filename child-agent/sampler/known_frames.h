/* What the frame pointer was where a look could not follow a thread's stack without it.
 *
 * A look from outside knows no registers but two. Where a function's frame is found from the frame
 * pointer, it ends there, and the thread is asked. In the same frame at the same place of its stack
 * the frame pointer is most likely what it was then: the stack is followed with that, and the
 * result counts if it is whole. Pure, and for the sampler alone. */
#ifndef PROFD_AGENT_KNOWN_FRAMES_H
#define PROFD_AGENT_KNOWN_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "child-agent/unwinding/snapshot.h"
#include "child-agent/unwinding/unwinder.h"

enum { KNOWN_FRAMES_MOST = 4 };

/* The frame at DEPTH of a stack, where the frame pointer is still that of the innermost one. */
struct known_frame {
    uint64_t pc, stack_pointer;
    size_t depth; /* 0: none */
};

/* Begins as zeros. */
struct known_frames {
    struct known_frame missed; /* the latest look ended there */
    struct known_frame frames[KNOWN_FRAMES_MOST];
    uint64_t frame_pointers[KNOWN_FRAMES_MOST];
    uint32_t next; /* to be replaced */
};

/* All functions take a SNAPSHOT and the innermost COUNT frames of its stack. */

/* Notes that a look found these frames and no more. */
void known_frames_miss(struct known_frames *known, const struct snapshot *snapshot,
                       const struct unwind_frame *frames, size_t count);

/* Notes the frame pointer of a thread that was asked. If its frames go through the one that was
 * missed, it is known there from now on. */
void known_frames_learn(struct known_frames *known, const struct snapshot *snapshot,
                        const struct unwind_frame *frames, size_t count);

/* Returns whether it is known what the frame pointer is in a look that found these frames and no
 * more; *FRAME_POINTER is set then. */
bool known_frames_find(const struct known_frames *known, const struct snapshot *snapshot,
                       const struct unwind_frame *frames, size_t count, uint64_t *frame_pointer);

#endif
