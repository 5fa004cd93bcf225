#include "child-agent/arena_losses.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer/lease_ledger.h"
#include "child-agent/agent_lease.h"

/* How often arenas had been lost when this one was given away. */
static _Atomic uint32_t known_losses;

static bool read_losses(uint32_t *out)
{
    struct lease_ledger *ledger;
    if (agent_lease_get(&ledger) < 0 || ledger == NULL)
        return false;
    *out = atomic_load_explicit(&ledger->header->arena_losses, memory_order_relaxed);
    return true;
}

void arena_losses_note(void)
{
    uint32_t losses;
    atomic_store(&known_losses, read_losses(&losses) ? losses : 0);
}

bool arena_losses_are_new(void)
{
    uint32_t losses;
    return agent_lease_has_ended() ||
           (read_losses(&losses) && losses != atomic_load(&known_losses));
}
