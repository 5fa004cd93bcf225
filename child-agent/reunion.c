#include "child-agent/reunion.h"

#include <errno.h>
#include <stddef.h>

#include "buffer/clock.h"
#include "child-agent/agent_lease.h"
#include "child-agent/agent_link.h"
#include "child-agent/agent_thread.h"
#include "child-agent/arena_losses.h"
#include "child-agent/core.h"
#include "child-agent/handler_work.h"
#include "child-agent/process_arena.h"
#include "child-agent/session.h"
#include "common/time_units.h"

#define LOOK_EVERY_NS   UINT64_C(100000000)
#define LONGEST_WAIT_NS (UINT64_C(60) * NS_PER_S)

/* After a try that failed: for want of room for a file, say. */
static uint64_t next_try_ns, wait_ns;

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

/* Each wait is twice as long as the one before. */
static void try_again_later(void)
{
    wait_ns = wait_ns == 0 ? LOOK_EVERY_NS : 2 * wait_ns;
    if (wait_ns > LONGEST_WAIT_NS)
        wait_ns = LONGEST_WAIT_NS;
    next_try_ns = clock_monotonic_ns() + wait_ns;
}

static void rejoin_profd(void)
{
    if (move_to_new_profd() < 0)
        return;
    bool has_new_file = core_local.has_arena;
    if (has_new_file && process_arena_renew() < 0) {
        try_again_later();
        return;
    }
    wait_ns = next_try_ns = 0;
    arena_losses_note();
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
    if (core_local.has_arena && arena_losses_are_new())
        handler_work_do_undisturbed(take_arena_back);
}

/* A profd that is gone for good is not looked for at each call. */
void reunion_look(void)
{
    static uint64_t looked_ns;
    if (!agent_thread_is_alone() || !arena_losses_are_new())
        return;
    uint64_t now_ns = clock_monotonic_ns();
    if (now_ns - looked_ns < LOOK_EVERY_NS)
        return;
    looked_ns = now_ns;
    handler_work_do_undisturbed(reunion_tick);
}

void reunion_tick(void)
{
    if (agent_thread_is_alone() && arena_losses_are_new() && clock_monotonic_ns() >= next_try_ns &&
        handler_work_is_possible())
        handler_work_do(rejoin_profd);
}
