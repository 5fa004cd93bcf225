#include "daemon/memory/lease_census.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

static void note_unit(lease_owner owner, uint32_t unit, void *context)
{
    struct lease_census *census = context;
    (void)unit;

    if (owner <= LEASE_OWNER_EXITS || census->count == census->capacity)
        return;
    if (census->count > 0 && census->holders[census->count - 1].owner == owner)
        census->holders[census->count - 1].units++;
    else
        census->holders[census->count++] = (struct lease_holder){ owner, 1 };
}

static int compare_owners(const void *a, const void *b)
{
    const struct lease_holder *left = a, *right = b;
    return left->owner < right->owner ? -1 : left->owner > right->owner;
}

/* Puts what each has at different places together. */
static void merge_holders(struct lease_census *census)
{
    size_t kept = 0;

    qsort(census->holders, census->count, sizeof(*census->holders), compare_owners);
    for (size_t i = 0; i < census->count; i++) {
        if (kept > 0 && census->holders[kept - 1].owner == census->holders[i].owner)
            census->holders[kept - 1].units += census->holders[i].units;
        else
            census->holders[kept++] = census->holders[i];
    }
    census->count = kept;
}

int lease_census_take(struct lease_ledger *ledger, struct lease_census *out)
{
    size_t most = lease_ledger_recount(ledger, NULL);

    *out = (struct lease_census){ .holders = calloc(most + 1, sizeof(*out->holders)),
                                  .capacity = most };
    if (out->holders == NULL)
        return -ENOMEM;
    lease_ledger_visit(ledger, note_unit, out);
    merge_holders(out);
    return 0;
}

void lease_census_free(struct lease_census *census)
{
    free(census->holders);
    *census = (struct lease_census){ 0 };
}

uint32_t lease_census_units(const struct lease_census *census, lease_owner owner)
{
    const struct lease_holder key = { .owner = owner };
    const struct lease_holder *found = census->count > 0
                                           ? bsearch(&key, census->holders, census->count,
                                                     sizeof(*census->holders), compare_owners)
                                           : NULL;
    return found != NULL ? found->units : 0;
}

/* Holders of one process stand side by side. */
static bool has_later_image(const struct lease_census *census, size_t at)
{
    lease_owner owner = census->holders[at].owner;
    pid_t pid = lease_owner_pid(owner);

    for (size_t i = at; i-- > 0 && lease_owner_pid(census->holders[i].owner) == pid;) {
        if (lease_owner_is_later(census->holders[i].owner, owner))
            return true;
    }
    for (size_t i = at + 1; i < census->count && lease_owner_pid(census->holders[i].owner) == pid;
         i++) {
        if (lease_owner_is_later(census->holders[i].owner, owner))
            return true;
    }
    return false;
}

bool lease_census_has_ended(const struct lease_census *census, size_t at)
{
    lease_owner owner = census->holders[at].owner;

    if (lease_owner_is_foreign(owner))
        return false;
    return has_later_image(census, at) || (kill(lease_owner_pid(owner), 0) < 0 && errno == ESRCH);
}
