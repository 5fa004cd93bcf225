/* How many of the addresses that the process may have (RLIMIT_AS, `ulimit -v`) the agent takes: a
 * tenth at most. Each large reservation has a share of that; with the rest, the library itself and
 * what is always as large stay within the tenth as well. Any thread. */
#ifndef PROFD_AGENT_ADDRESS_SPACE_H
#define PROFD_AGENT_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stdint.h>

/* What addresses are for, and the share of it, in percent of what may be shared out. */
#define ADDRESS_USES(X)                                                                            \
    X(CHUNKS, 33)                                                                                  \
    X(GROUPS, 7)                                                                                   \
    X(DICTIONARY, 15)                                                                              \
    X(TICK_STACKS, 8)  /* that the looking thread remembers */                                     \
    X(ROOMS, 14)       /* for samples */                                                           \
    X(THREAD_STACK, 5) /* of each thread of ours: there are three at a time */                     \
    X(LABELS, 5)       /* made at run time */                                                      \
    X(LEDGER, 3)

enum address_use {
#define X(name, percent) ADDRESSES_##name,
    ADDRESS_USES(X)
#undef X
        ADDRESS_USE_COUNT
};

/* The share of USE where a process may have LIMIT_BYTES of addresses: 0 when they are too few. */
uint64_t address_space_share_of(uint64_t limit_bytes, enum address_use use);

/* USUAL_BYTES, or the share of USE in this process when that is less. */
uint64_t address_space_within(enum address_use use, uint64_t usual_bytes);

/* False when the program may have so few addresses that the agent leaves them all to it. */
bool address_space_is_enough(void);

#endif
