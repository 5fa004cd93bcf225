/* Where a walk is: the registers of one frame as far as they are known, and the stack they point
 * into. */
#ifndef PROFD_AGENT_UNWIND_STATE_H
#define PROFD_AGENT_UNWIND_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/sampler/snapshot.h"

struct unwind_state {
    const struct snapshot *snapshot;
    uint64_t pc, rsp, rbp;
    bool is_exact; /* pc is what runs next (innermost, interrupted), not a return address */
};

/* A word at any alignment. By hand: a sanitizer knows the frames of a live stack as no object. */
__attribute__((no_sanitize("address", "undefined", "thread"))) static inline uint64_t
unwind_load_word(const uint8_t *at)
{
    typedef uint64_t unaligned_word __attribute__((aligned(1), may_alias));
    return *(const unaligned_word *)at;
}

/* The word at ADDRESS of the stack; false: it is not in there. */
static inline bool unwind_read_word(const struct snapshot *snapshot, uint64_t address,
                                    uint64_t *out)
{
    uint64_t bytes = snapshot->stack_bytes;
    uint64_t offset = address - snapshot->stack_start;
    if (bytes < sizeof *out || offset > bytes - sizeof *out)
        return false;
    *out = unwind_load_word(snapshot->stack + offset);
    return true;
}

#endif
