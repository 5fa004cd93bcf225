/* Limits how much the agent takes of what the process may have of addresses (RLIMIT_AS, `ulimit
 * -v`) and of data, which is private memory that can be written (RLIMIT_DATA, `ulimit -d`): a tenth
 * at most of each, besides the signal stack of 64 KB that each thread gets (signal_stack.h), next
 * to a stack of its own. Each large reservation has a share of that. The rest is for the library
 * itself and for reservations of fixed size, so that everything stays within the tenth. Any thread.
 */
#ifndef PROFD_AGENT_ADDRESS_SPACE_H
#define PROFD_AGENT_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stdint.h>

/* What address space is used for, its share in percent of what can be shared out, and whether it is
 * shared with others or private, and so data. */
#define ADDRESS_USES(X)                                                                            \
    X(CHUNKS, 33, SHARED)                                                                          \
    X(GROUPS, 7, SHARED)                                                                           \
    X(DICTIONARY, 15, SHARED)                                                                      \
    X(TICK_STACKS, 8, PRIVATE)  /* that the sampler's thread remembers */                          \
    X(ROOMS, 14, PRIVATE)       /* for samples */                                                  \
    X(THREAD_STACK, 5, PRIVATE) /* of each agent thread; there are three at a time */              \
    X(LABELS, 5, PRIVATE)       /* created at run time */                                          \
    X(LEDGER, 3, SHARED)

enum address_use {
#define X(name, percent, kind) ADDRESSES_##name,
    ADDRESS_USES(X)
#undef X
        ADDRESS_USE_COUNT
};

/* What the kernel limits. */
enum address_limit { LIMIT_OF_ADDRESSES, LIMIT_OF_DATA, ADDRESS_LIMIT_COUNT };

/* Returns the share of USE, in bytes, in a process with LIMIT_BYTES of what LIMIT counts; 0 if that
 * is too little; UINT64_MAX if USE does not count. */
uint64_t address_space_share_of(enum address_limit limit, uint64_t limit_bytes,
                                enum address_use use);

/* Returns USUAL_BYTES, or the share of USE in this process if that is less. */
uint64_t address_space_within(enum address_use use, uint64_t usual_bytes);

/* Returns false if the program may have so little that the agent takes none of it. */
bool address_space_is_enough(void);

#endif
