/* Where a walk is: the registers of one frame as far as they are known, and the copy they point
 * into. */
#ifndef PROFD_AGENT_UNWIND_STATE_H
#define PROFD_AGENT_UNWIND_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "child-agent/sampler/snapshot.h"

struct unwind_state {
    const struct snapshot *snapshot;
    uint64_t pc, rsp, rbp;
    bool is_exact; /* pc is what runs next (innermost, interrupted), not a return address */
};

/* The word at ADDRESS in the copy; false: it's not in there. */
static inline bool unwind_read_word(const struct snapshot *snapshot, uint64_t address,
                                    uint64_t *out)
{
    uint64_t bytes = snapshot->stack_bytes;
    uint64_t offset = address - snapshot->stack_start;
    if (bytes > SNAPSHOT_STACK_BYTES || bytes < sizeof *out || offset > bytes - sizeof *out)
        return false;
    memcpy(out, snapshot->stack + offset, sizeof *out);
    return true;
}

#endif
