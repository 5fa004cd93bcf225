/* What a process without an agent thread has to know about the session, in one word of shared
 * memory.
 *
 * profd writes it without waiting for anybody; each running process reads it at its next sample.
 * Pure; any thread, also in signal handlers. */
#ifndef PROFD_BUFFER_SESSION_WORD_H
#define PROFD_BUFFER_SESSION_WORD_H

#include <stdbool.h>
#include <stdint.h>

/* The current session, if there is one. */
struct session_word {
    uint32_t generation; /* 0: none */
    bool is_paused;
    bool is_sampling_paused; /* only samples and counters are paused */
    uint32_t revision;       /* revision of the session's terms; 24 bits */
};

enum {
    SESSION_WORD_PAUSED = 1,
    SESSION_WORD_SAMPLING_PAUSED = 2,
    SESSION_WORD_REVISION_SHIFT = 8,
    SESSION_WORD_GENERATION_SHIFT = 32,
    SESSION_WORD_REVISION_MASK = 0xffffff,
};

static inline uint64_t session_word_pack(const struct session_word *session)
{
    return (uint64_t)session->generation << SESSION_WORD_GENERATION_SHIFT |
           (uint64_t)(session->revision & SESSION_WORD_REVISION_MASK)
               << SESSION_WORD_REVISION_SHIFT |
           (session->is_paused ? (uint64_t)SESSION_WORD_PAUSED : 0) |
           (session->is_sampling_paused ? (uint64_t)SESSION_WORD_SAMPLING_PAUSED : 0);
}

static inline struct session_word session_word_unpack(uint64_t word)
{
    return (struct session_word){
        .generation = (uint32_t)(word >> SESSION_WORD_GENERATION_SHIFT),
        .is_paused = (word & SESSION_WORD_PAUSED) != 0,
        .is_sampling_paused = (word & SESSION_WORD_SAMPLING_PAUSED) != 0,
        .revision = (uint32_t)(word >> SESSION_WORD_REVISION_SHIFT) & SESSION_WORD_REVISION_MASK,
    };
}

#endif
