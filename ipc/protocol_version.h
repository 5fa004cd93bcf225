/* Versions of the protocol that profd, its agents and profctl speak: MAJOR.MINOR.
 *
 * Processes run for weeks, so a profd meets agents that are older than it is, and newer ones. Who
 * has the same major version understands the other: a minor version only appends, fields at the end
 * of messages and kinds of messages, and what is not known is skipped. A new value of a field that
 * there was is said only to those whose minor version has it. Another major version is refused.
 *
 * 6.0 is the exception: its peers take nothing more than they know. So that nobody surprises them,
 * who connects says only what the other one is known to understand, and gets an answer in the lower
 * version of the two. What the other one understands stands in the header of the lease ledger
 * (lease_ledger_header.protocol_minor); where that cannot be read, it is taken for 6.0.
 *
 * Pure; any thread. */
#ifndef PROFD_IPC_PROTOCOL_VERSION_H
#define PROFD_IPC_PROTOCOL_VERSION_H

#include <stdbool.h>
#include <stdint.h>

/* 6.1: appended fields and unknown kinds are skipped; revisions of a session, and programs as
 * clients. 6.2: raw captures. 6.3: lines. */
enum { PROTOCOL_MAJOR = 6, PROTOCOL_MINOR = 3, PROTOCOL_MINOR_BITS = 16 };
enum { PROTOCOL_MINOR_OF_RAW_CAPTURES = 2, PROTOCOL_MINOR_OF_LINES = 3 };

/* As it travels in greetings; 6.0 is the 6 that it was before there were minor versions. */
#define PROTOCOL_VERSION ((uint64_t)PROTOCOL_MINOR << PROTOCOL_MINOR_BITS | PROTOCOL_MAJOR)

/* May be wrong numbers of a stranger's: whatever is above both parts belongs to the minor one. */
static inline uint64_t protocol_version_major(uint64_t version)
{
    return version & ((UINT64_C(1) << PROTOCOL_MINOR_BITS) - 1);
}

static inline uint64_t protocol_version_minor(uint64_t version)
{
    return version >> PROTOCOL_MINOR_BITS;
}

static inline bool protocol_version_is_understood(uint64_t version)
{
    return protocol_version_major(version) == PROTOCOL_MAJOR;
}

/* What to speak with somebody whose newest minor version is THEIRS: the lower one of the two. */
static inline uint64_t protocol_version_with(uint64_t theirs)
{
    const uint64_t minor = theirs < PROTOCOL_MINOR ? theirs : PROTOCOL_MINOR;
    return minor << PROTOCOL_MINOR_BITS | PROTOCOL_MAJOR;
}

#endif
