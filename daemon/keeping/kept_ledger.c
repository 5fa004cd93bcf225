#include "daemon/keeping/kept_ledger.h"

#include "daemon/memory/lease_census.h"

static bool has_living(const struct lease_census *census)
{
    for (size_t i = 0; i < census->count; i++) {
        if (!lease_owner_is_foreign(census->holders[i].owner) && !lease_census_has_ended(census, i))
            return true;
    }
    return false;
}

bool kept_ledger_has_living(int fd)
{
    struct lease_ledger ledger;
    struct lease_census census;

    if (fd < 0 || lease_ledger_open(fd, LEASE_LEDGER_MAX_UNITS, &ledger) < 0)
        return false;
    bool is_living = lease_census_take(&ledger, &census) < 0 || has_living(&census);
    lease_census_free(&census);
    lease_ledger_close(&ledger);
    return is_living;
}
