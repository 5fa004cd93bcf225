/* Who holds units in the lease ledger, and which of them have ended.
 *
 * A snapshot of the ledger, which others change in the meantime. Loop thread. */
#ifndef PROFD_DAEMON_LEASE_CENSUS_H
#define PROFD_DAEMON_LEASE_CENSUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer/lease_ledger.h"

struct lease_holder {
    lease_owner owner;
    uint32_t units;
};

struct lease_census {
    struct lease_holder *holders; /* owned; ascending, each once, without profd itself */
    size_t count, capacity;
};

/* Takes the snapshot, and corrects the ledger's hints on the way. Returns 0 or -ENOMEM. */
int lease_census_take(struct lease_ledger *ledger, struct lease_census *out);
void lease_census_free(struct lease_census *census);

/* How many units OWNER holds; 0: none. */
uint32_t lease_census_units(const struct lease_census *census, lease_owner owner);

/* True if holder number AT is an image that is known to have ended: its process has ended, or it
 * has called exec and the later image holds units too. Of holders in other pid namespaces nothing
 * is known. */
bool lease_census_has_ended(const struct lease_census *census, size_t at);

#endif
