#include "daemon/memory/exit_lease.h"

#include <errno.h>
#include <stdbool.h>

static uint32_t units_for_bytes(uint64_t bytes)
{
    return (uint32_t)((bytes + LEASE_UNIT_BYTES - 1) / LEASE_UNIT_BYTES);
}

static bool has_ledger(const struct exit_lease *lease)
{
    return lease->ledger->header != NULL;
}

/* Takes up to COUNT units of those that are free; returns how many. */
static uint32_t take_units(struct exit_lease *lease, uint32_t count)
{
    uint32_t taken = 0, unit;

    while (taken < count && lease_take(lease->ledger, LEASE_OWNER_EXITS, LEASE_TO_GROW, &unit) == 0)
        taken++;
    lease->units += taken;
    return taken;
}

void exit_lease_settle(struct exit_lease *lease, uint64_t memory_bytes)
{
    uint32_t needed =
        units_for_bytes(memory_bytes) + lease->arriving_units + EXIT_LEASE_SPARE_UNITS;

    if (!has_ledger(lease))
        return;
    if (lease->units < needed)
        take_units(lease, needed - lease->units);
    else if (lease->units > needed)
        lease->units -=
            lease_move(lease->ledger, LEASE_OWNER_EXITS, LEASE_OWNER_NOBODY, lease->units - needed);
}

int exit_lease_bring(struct exit_lease *lease, lease_owner owner, uint64_t bytes, uint32_t *units)
{
    uint32_t needed = units_for_bytes(bytes);

    *units = 0;
    if (!has_ledger(lease))
        return -ECANCELED;
    if (owner > LEASE_OWNER_EXITS)
        *units = lease_move(lease->ledger, owner, LEASE_OWNER_EXITS, UINT32_MAX);
    lease->units += *units;
    if (*units < needed)
        *units += take_units(lease, needed - *units);
    lease->arriving_units += *units;
    return *units < needed ? -ENOSPC : 0;
}

void exit_lease_arrived(struct exit_lease *lease, uint32_t units)
{
    lease->arriving_units -= units;
}
