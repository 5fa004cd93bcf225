#include "child-agent/agent_waits.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#include "buffer/clock.h"
#include "child-agent/agent_link.h"
#include "child-agent/sampler/look_alarm.h"
#include "child-agent/sampler/looker.h"

static _Atomic bool are_over;

bool agent_waits_are_over(void)
{
    return atomic_load(&are_over);
}

int agent_waits_once(bool has_link, uint64_t due_ns)
{
    uint64_t look_ns = looker_due_ns();
    if (look_ns < due_ns)
        due_ns = look_ns;
    int got = 0;
    if (!agent_waits_are_over()) /* or it will be woken */
        got = has_link ? agent_link_wait(due_ns) : look_alarm_wait(NULL, 0, due_ns);
    if (agent_waits_are_over())
        return -ECANCELED;
    looker_turn();
    return got;
}

void agent_waits_rest(uint64_t due_ns)
{
    while (clock_monotonic_ns() < due_ns && agent_waits_once(false, due_ns) == 0)
        continue;
}

void agent_waits_end(void)
{
    atomic_store(&are_over, true);
    look_alarm_wake();
}

void agent_waits_reset(void)
{
    atomic_store(&are_over, false);
}
