#include "daemon/census/census_recall.h"

#include <stdlib.h>

#include "buffer/lease_ledger.h"
#include "daemon/agents/agents.h"
#include "daemon/census/census.h"
#include "daemon/census/census_told.h"
#include "daemon/log.h"
#include "daemon/session.h"

/* Whether the exec call of entry EXEC failed, which the next entry of its process says. */
static bool has_failed(const struct census_entry *entries, size_t count, size_t exec)
{
    for (size_t i = exec + 1; i < count; i++)
        if (entries[i].pid == entries[exec].pid)
            return entries[i].kind == CENSUS_FAILED;
    return false;
}

/* Whether entry AT tells that its process is another image, records, or has ended. */
static bool ends_dormancy(const struct census_entry *entries, size_t count, size_t at)
{
    switch (entries[at].kind) {
    case CENSUS_PRESENT:
    case CENSUS_WOKEN:
    case CENSUS_ENDED:
        return true;
    case CENSUS_EXEC:
        return !has_failed(entries, count, at);
    default:
        return false;
    }
}

bool census_recall_is_last_word(const struct census_entry *entries, size_t count, size_t at)
{
    if (entries[at].kind != CENSUS_PRESENT)
        return false;
    for (size_t i = at + 1; i < count; i++)
        if (entries[i].pid == entries[at].pid && ends_dormancy(entries, count, i))
            return false;
    return true;
}

/* Whether the process that ENTRY reports is still there; its pid may be another's by now. */
static bool does_live(const struct census_entry *entry)
{
    struct process_sighting sighting;

    return process_sight(entry->pid, &sighting) && sighting.start_ns <= entry->time_ns;
}

static bool is_missing(const struct census *census, const struct census_entry *entry)
{
    return census_entry_is_of_session(entry, census->session) &&
           child_table_find_latest(census->children, entry->pid) == NULL && does_live(entry);
}

void census_recall(struct census *census)
{
    const struct census_ring *ring = census->ledger->ring;

    if (ring == NULL || !session_is_on(census->session))
        return;
    struct census_entry *entries = calloc(CENSUS_RING_ENTRIES, sizeof(*entries));
    if (entries == NULL) {
        log_warn("out of memory: captures may lack processes that had recorded nothing");
        return;
    }
    size_t count = census_ring_recall(ring, entries);
    for (size_t i = 0; i < count; i++)
        if (census_recall_is_last_word(entries, count, i) && is_missing(census, &entries[i]))
            census_add_present(census, &entries[i]);
    agents_watch_dormant(census->agents);
    free(entries);
}
