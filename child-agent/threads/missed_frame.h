/* The frame of a thread at which the latest look from outside ended; see
 * child-agent/sampler/known_frames.h. */
#ifndef PROFD_AGENT_MISSED_FRAME_H
#define PROFD_AGENT_MISSED_FRAME_H

#include <stddef.h>
#include <stdint.h>

struct missed_frame {
    uint64_t pc;
    uint64_t path; /* a hash of the calls that led further in */
    size_t depth;  /* 0: none */
};

#endif
