/* Who has units in the ledger of leases, and which of them have ended.
 *
 * A snapshot of the ledger, which others change meanwhile. Loop thread. */
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
    struct lease_holder *holders; /* owned; in rising order, each once, without profd itself */
    size_t count, capacity;
};

/* Puts the ledger's hints right on the way. 0 or -ENOMEM. */
int lease_census_take(struct lease_ledger *ledger, struct lease_census *out);
void lease_census_free(struct lease_census *census);

/* How many units OWNER has; 0: none. */
uint32_t lease_census_units(const struct lease_census *census, lease_owner owner);

/* True when holder number AT is an image that is known to have ended: its process has, or it has
 * called exec, and the later image has units too. Nothing is known of foreign ones. */
bool lease_census_has_ended(const struct lease_census *census, size_t at);

#endif
