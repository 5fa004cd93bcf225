#include "daemon/lease_census.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

static void note_owner(lease_owner owner, uint32_t unit, void *context)
{
    struct lease_census *census = context;
    (void)unit;

    if (owner <= LEASE_OWNER_EXITS || census->count == census->capacity ||
        (census->count > 0 && census->owners[census->count - 1] == owner))
        return;
    census->owners[census->count++] = owner;
}

static int compare(const void *a, const void *b)
{
    lease_owner left = *(const lease_owner *)a, right = *(const lease_owner *)b;
    return left < right ? -1 : left > right;
}

static void sort(struct lease_census *census)
{
    size_t kept = 0;

    qsort(census->owners, census->count, sizeof(*census->owners), compare);
    for (size_t i = 0; i < census->count; i++) {
        if (kept == 0 || census->owners[kept - 1] != census->owners[i])
            census->owners[kept++] = census->owners[i];
    }
    census->count = kept;
}

int lease_census_take(struct lease_ledger *ledger, struct lease_census *out)
{
    size_t most = lease_ledger_recount(ledger, NULL);

    *out =
        (struct lease_census){ .owners = calloc(most + 1, sizeof(*out->owners)), .capacity = most };
    if (out->owners == NULL)
        return -ENOMEM;
    lease_ledger_visit(ledger, note_owner, out);
    sort(out);
    return 0;
}

void lease_census_free(struct lease_census *census)
{
    free(census->owners);
    *census = (struct lease_census){ 0 };
}

bool lease_census_has(const struct lease_census *census, lease_owner owner)
{
    return census->count > 0 &&
           bsearch(&owner, census->owners, census->count, sizeof(*census->owners), compare) != NULL;
}

/* Owners of one process stand side by side. */
static bool has_later_image(const struct lease_census *census, size_t at)
{
    lease_owner owner = census->owners[at];
    pid_t pid = lease_owner_pid(owner);

    for (size_t i = at; i-- > 0 && lease_owner_pid(census->owners[i]) == pid;) {
        if (lease_owner_is_later(census->owners[i], owner))
            return true;
    }
    for (size_t i = at + 1; i < census->count && lease_owner_pid(census->owners[i]) == pid; i++) {
        if (lease_owner_is_later(census->owners[i], owner))
            return true;
    }
    return false;
}

bool lease_census_has_ended(const struct lease_census *census, size_t at)
{
    lease_owner owner = census->owners[at];

    if (lease_owner_is_foreign(owner))
        return false;
    return has_later_image(census, at) || (kill(lease_owner_pid(owner), 0) < 0 && errno == ESRCH);
}
