#include "child-agent/agent_presence.h"

#include <stddef.h>

#include "child-agent/agent_lease.h"
#include "child-agent/agent_thread.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/session.h"
#include "child-agent/threads/thread_registry.h"

static bool may_be_alone(void)
{
    struct lease_ledger *ledger;
    return agent_lease_get(&ledger) == 0 && ledger != NULL &&
           atomic_load(&ledger->header->may_be_alone) != 0 && session_is_active() &&
           !session_is_own() && !sampler_has_thread() && thread_registry_live_count() <= 1;
}

int agent_presence_begin(const struct agent_address *address)
{
    if (address->path[0] == '\0') {
        if (sampler_has_thread())
            sampler_start_thread();
        return 0;
    }
    if (may_be_alone() && agent_thread_introduce(address) == 0)
        return 0;
    sampler_start_thread();
    return agent_thread_start(address);
}
