#include "child-agent/session_offer.h"

#include <string.h>

#include "buffer/lease_ledger.h"
#include "buffer/session_word.h"
#include "child-agent/agent_lease.h"
#include "child-agent/session_bounds.h"
#include "common/apart.h"
#include "ipc/messages.h"

uint32_t session_offer_generation(void)
{
    struct session_word word;
    return agent_lease_read_session(&word) ? word.generation : 0;
}

bool session_offer_is(const struct session_settings *settings)
{
    struct session_word word;
    return agent_lease_read_session(&word) && word.generation == settings->generation &&
           word.revision == settings->revision;
}

static bool are_terms_sound(const struct session_terms *terms)
{
    return terms->interval_ns >= SESSION_SHORTEST_INTERVAL_NS &&
           terms->interval_ns <= SESSION_LONGEST_INTERVAL_NS &&
           terms->clock < SAMPLING_CLOCK_COUNT &&
           (terms->features & ~(uint64_t)FEATURES_ALL) == 0 &&
           strlen(terms->filters) < SESSION_FILTERS_BYTES;
}

_Static_assert((int)SESSION_BOARD_TRIGGERS_BYTES == (int)TRIGGER_LINES_BYTES, "the same lines");

static void fill_settings(const struct session_terms *terms, const struct session_word *word,
                          struct session_settings *out)
{
    session_settings_clear(out);
    out->generation = terms->generation;
    out->revision = word->revision;
    out->interval_ns = terms->interval_ns;
    out->limit_bytes = terms->limit_bytes;
    out->features = terms->features;
    out->clock = (enum sampling_clock)terms->clock;
    out->allocation_interval_bytes = terms->allocation_interval_bytes;
    out->is_paused = word->is_paused;
    out->is_sampling_paused = word->is_sampling_paused;
    strcpy(out->filters, terms->filters);
    strcpy(out->marker_triggers, terms->marker_triggers);
}

bool session_offer_read(struct session_settings *out)
{
    static LARGE_EARLY struct session_terms terms; /* too large for the stack of a handler */
    struct lease_ledger *ledger;
    struct session_word word;
    if (!agent_lease_read_session(&word) || agent_lease_get(&ledger) < 0 ||
        !session_board_read(ledger->board, &word, &terms) || !are_terms_sound(&terms))
        return false;
    fill_settings(&terms, &word, out);
    return true;
}
