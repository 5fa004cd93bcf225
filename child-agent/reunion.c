#include "child-agent/reunion.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "buffer/clock.h"
#include "buffer/lease_ledger.h"
#include "child-agent/agent_lease.h"
#include "child-agent/agent_link.h"
#include "child-agent/agent_thread.h"
#include "child-agent/core.h"
#include "child-agent/handler_work.h"
#include "child-agent/process_arena.h"
#include "child-agent/session.h"

#define LOOK_EVERY_NS UINT64_C(100000000)

/* How often arenas had been lost when this one was given away. */
static uint32_t known_losses;

static bool read_losses(uint32_t *out)
{
    struct lease_ledger *ledger;
    if (agent_lease_get(&ledger) < 0 || ledger == NULL)
        return false;
    *out = atomic_load_explicit(&ledger->header->arena_losses, memory_order_relaxed);
    return true;
}

void reunion_note_hello(void)
{
    if (!read_losses(&known_losses))
        known_losses = 0;
}

bool reunion_is_due(void)
{
    uint32_t losses;
    return agent_lease_has_ended() || (read_losses(&losses) && losses != known_losses);
}

/* A new profd has a ledger of its own, which pays from here on. The session of the old one is over.
 */
static int move_to_new_profd(void)
{
    if (!agent_lease_has_ended())
        return 0;
    if (session_is_active())
        return -EBUSY; /* it ends first */
    int error = agent_thread_find_ledger();
    return error == 0 && core_local.has_arena ? process_arena_lease() : error;
}

static void rejoin_profd(void)
{
    if (move_to_new_profd() < 0)
        return;
    bool has_new_file = core_local.has_arena && process_arena_renew() == 0;
    reunion_note_hello();
    if (has_new_file)
        (void)agent_thread_introduce_again(); /* the next tick makes up for it */
}

static void take_arena_back(void)
{
    if (process_arena_renew() == 0)
        agent_link_take_arena_back(); /* the next hello brings it */
}

void reunion_prepare_thread(void)
{
    if (core_local.has_arena && reunion_is_due())
        handler_work_do_undisturbed(take_arena_back);
}

/* A profd that is gone for good is not looked for at each call. */
void reunion_look(void)
{
    static uint64_t looked_ns;
    if (!agent_thread_is_alone() || !reunion_is_due())
        return;
    uint64_t now_ns = clock_monotonic_ns();
    if (now_ns - looked_ns < LOOK_EVERY_NS)
        return;
    looked_ns = now_ns;
    handler_work_do_undisturbed(reunion_tick);
}

void reunion_tick(void)
{
    if (agent_thread_is_alone() && reunion_is_due() && handler_work_is_possible())
        handler_work_do(rejoin_profd);
}
