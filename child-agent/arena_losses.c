#include "child-agent/arena_losses.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer/lease_ledger.h"
#include "child-agent/agent_lease.h"

/* Where the arena was given to. */
struct receiver {
    const struct lease_ledger *ledger; /* NULL: none */
    uint32_t losses;                   /* how often arenas had been lost by then */
};

static struct receiver noted;

static struct receiver read_receiver(void)
{
    struct receiver receiver = { NULL, 0 };
    struct lease_ledger *ledger;
    if (agent_lease_get(&ledger) == 0 && ledger != NULL) {
        receiver.ledger = ledger;
        receiver.losses = atomic_load_explicit(&ledger->header->arena_losses, memory_order_relaxed);
    }
    return receiver;
}

void arena_losses_note(void)
{
    noted = read_receiver();
}

bool arena_losses_are_new(void)
{
    const struct receiver now = read_receiver();
    bool is_other = now.ledger != noted.ledger || now.losses != noted.losses;
    return agent_lease_has_ended() || (now.ledger != NULL && is_other);
}
