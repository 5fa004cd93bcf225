/* Versions of the protocol that profd, its agents and profctl speak: MAJOR.MINOR.
 *
 * Processes run for weeks, so profd meets agents that are older or newer than itself. Peers with
 * the same major version understand each other: a minor version only appends fields to messages,
 * and kinds of messages, and unknown ones are skipped. A new value of an existing field is sent
 * only to peers whose minor version has it. Another major version is refused.
 *
 * 6.0 is the exception: its peers accept only what they know. Therefore whoever connects sends only
 * what profd is known to understand, and is answered in the lower of the two versions. What profd
 * understands is in the header of the lease ledger (lease_ledger_header.protocol_minor); if that
 * cannot be read, 6.0 is assumed.
 *
 * Pure; any thread. */
#ifndef PROFD_IPC_PROTOCOL_VERSION_H
#define PROFD_IPC_PROTOCOL_VERSION_H

#include <stdbool.h>
#include <stdint.h>

/* 6.1: appended fields and unknown kinds are skipped; revisions of a session, and programs as
 * clients. 6.2: raw captures. 6.3: lines. 6.4: programs in other pid namespaces. */
enum { PROTOCOL_MAJOR = 6, PROTOCOL_MINOR = 4, PROTOCOL_MINOR_BITS = 16 };
enum {
    PROTOCOL_MINOR_OF_RAW_CAPTURES = 2,
    PROTOCOL_MINOR_OF_LINES = 3,
    PROTOCOL_MINOR_OF_PROGRAMS = 4,
};

/* As sent in greetings. 6.0 is sent as 6, as before there were minor versions. */
#define PROTOCOL_VERSION ((uint64_t)PROTOCOL_MINOR << PROTOCOL_MINOR_BITS | PROTOCOL_MAJOR)

/* These accept any number, since it may come from a stranger: all bits above the major version
 * belong to the minor one. */
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

/* The version to use with a peer whose newest minor version is THEIRS: the lower of the two. */
static inline uint64_t protocol_version_with(uint64_t theirs)
{
    const uint64_t minor = theirs < PROTOCOL_MINOR ? theirs : PROTOCOL_MINOR;
    return minor << PROTOCOL_MINOR_BITS | PROTOCOL_MAJOR;
}

#endif
