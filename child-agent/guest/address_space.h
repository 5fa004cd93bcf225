/* Limits how much of the process's address space (RLIMIT_AS, `ulimit -v`) the agent takes: a tenth
 * at most. Each large reservation has a share of that. The rest is for the library itself and for
 * reservations of fixed size, so that everything stays within the tenth. Any thread. */
#ifndef PROFD_AGENT_ADDRESS_SPACE_H
#define PROFD_AGENT_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stdint.h>

/* What address space is used for, and its share in percent of what can be shared out. */
#define ADDRESS_USES(X)                                                                            \
    X(CHUNKS, 33)                                                                                  \
    X(GROUPS, 7)                                                                                   \
    X(DICTIONARY, 15)                                                                              \
    X(TICK_STACKS, 8)  /* that the sampler's thread remembers */                                   \
    X(ROOMS, 14)       /* for samples */                                                           \
    X(THREAD_STACK, 5) /* of each agent thread; there are three at a time */                       \
    X(LABELS, 5)       /* created at run time */                                                   \
    X(LEDGER, 3)

enum address_use {
#define X(name, percent) ADDRESSES_##name,
    ADDRESS_USES(X)
#undef X
        ADDRESS_USE_COUNT
};

/* Returns the share of USE, in bytes, in a process with LIMIT_BYTES of address space; 0 if that is
 * too little. */
uint64_t address_space_share_of(uint64_t limit_bytes, enum address_use use);

/* Returns USUAL_BYTES, or the share of USE in this process if that is less. */
uint64_t address_space_within(enum address_use use, uint64_t usual_bytes);

/* Returns false if the program has so little address space that the agent takes none of it. */
bool address_space_is_enough(void);

#endif
