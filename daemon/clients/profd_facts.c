#include "daemon/clients/profd_facts.h"

#include "daemon/census/census.h"
#include "daemon/children/child_table.h"
#include "daemon/clients/clients.h"
#include "daemon/clients/status_process.h"
#include "daemon/limit/memory.h"
#include "daemon/memory/exit_store.h"
#include "daemon/metrics/metrics_page.h"
#include "daemon/session.h"

/* What children recorded, and what of that is still there. */
static void add_recordings(const struct child_table *children, struct metrics_view *view)
{
    struct block_account sum = { 0 };

    for (const struct child *child = children->first; child != NULL; child = child->next) {
        view->kernel_bytes += child_kernel_bytes(child);
        view->agents += child->connection != NULL;
        status_process_add_account(child, &sum);
    }
    view->produced_blocks = sum.produced_blocks;
    view->produced_bytes = sum.produced_bytes;
    view->dropped_blocks = sum.dropped_blocks;
    view->dropped_bytes = sum.dropped_bytes;
}

void profd_facts_describe(const struct profd_facts *facts, struct metrics_view *view)
{
    struct lease_ledger *ledger = &facts->memory->ledger;

    view->limit_bytes = lease_ledger_limit_bytes(ledger);
    view->leased_bytes = lease_ledger_recount(ledger, NULL) * LEASE_UNIT_BYTES;
    view->accounted_bytes = memory_controller_total(&facts->memory->controller);
    view->kernel_bytes = exit_store_kernel_bytes(facts->exits);
    view->exit_profiles = facts->exits->records;
    view->exit_profile_bytes = facts->exits->memory_bytes;
    view->exit_profiles_expired = facts->exits->expired_records;
    view->exit_profiles_failed = facts->exits->failed_records;
    view->is_session_on = session_is_on(facts->session);
    view->lost_news = facts->census->lost;
    view->clients = clients_count(facts->clients);
    add_recordings(facts->children, view);
}
