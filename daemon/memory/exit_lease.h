/* The exit store's lease for the profiles of ended processes.
 *
 * Before the arena of an ended process is moved, the units that the process had leased pass to
 * LEASE_OWNER_EXITS; after the move, those that the copy does not need are given back. Once the
 * ledger is closed, when profd ends, nothing is leased or given back. Loop thread. */
#ifndef PROFD_DAEMON_EXIT_LEASE_H
#define PROFD_DAEMON_EXIT_LEASE_H

#include <stdint.h>

#include "buffer/lease_ledger.h"

enum {
    /* For what each mover has twice for a moment (COMPACT_EXTRA_BYTES). */
    EXIT_LEASE_SPARE_UNITS = 1,
};

struct exit_lease {
    struct lease_ledger *ledger; /* borrowed */
    uint32_t units;
    uint32_t arriving_units; /* those of them for moves under way */
};

/* Adjusts the lease to what MEMORY_BYTES, the moves under way and the spare units need. */
void exit_lease_settle(struct exit_lease *lease, uint64_t memory_bytes);

/* Passes OWNER's units to a move of at most BYTES. If OWNER had not leased enough, because it is
 * older than the ledger, the move gets what is free. *UNITS is set on every path to what the move
 * then has. Returns 0; -ENOSPC if that is less than BYTES; -ECANCELED if the ledger is closed. */
int exit_lease_bring(struct exit_lease *lease, lease_owner owner, uint64_t bytes, uint32_t *units);

/* The move for which UNITS were passed is over. */
void exit_lease_arrived(struct exit_lease *lease, uint32_t units);

#endif
