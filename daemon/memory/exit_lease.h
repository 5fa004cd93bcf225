/* What the exit store has leased for the profiles of ended processes.
 *
 * What a dead process had leased becomes LEASE_OWNER_EXITS's before its arena is moved; what the
 * copy does not need is given back after it. Once the ledger is closed, when profd ends, nothing is
 * leased and nothing given back. Loop thread. */
#ifndef PROFD_DAEMON_EXIT_LEASE_H
#define PROFD_DAEMON_EXIT_LEASE_H

#include <stdint.h>

#include "buffer/lease_ledger.h"

enum {
    /* For what movers have twice for a moment (COMPACT_EXTRA_BYTES each). */
    EXIT_LEASE_SPARE_UNITS = 1,
};

struct exit_lease {
    struct lease_ledger *ledger; /* borrowed */
    uint32_t units;
    uint32_t arriving_units; /* of them, for moves under way */
};

/* Makes the lease what MEMORY_BYTES, the moves under way and the spare units need. */
void exit_lease_settle(struct exit_lease *lease, uint64_t memory_bytes);

/* Makes OWNER's units those of a move of at most BYTES; one that had not leased so much (it was
 * there before the ledger) gets what is free. *UNITS is what the move has then, on every path.
 * -ENOSPC: less than BYTES; -ECANCELED: the ledger is closed. */
int exit_lease_bring(struct exit_lease *lease, lease_owner owner, uint64_t bytes, uint32_t *units);

/* The move that brought UNITS is over. */
void exit_lease_arrived(struct exit_lease *lease, uint32_t units);

#endif
