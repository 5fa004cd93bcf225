/* A tenant that is slow twice a second: an iteration of 40 ms of CPU time that is blocked for 30
 * ms, and many short ones in between. */
#include <profd.h>
#include <unistd.h>

#include "common/time_units.h"
#include "tests/system/programs/burn.h"

enum { MS = 1000 * 1000, ROUNDS = 1000, SHORT_ONES = 10 };

PROFD_UNIT(slow, "handler", "slow");

static size_t groups_of(const struct profd_unit *unit, struct profd_group **out, size_t most,
                        void *context)
{
    (void)unit, (void)context;
    if (most > 0)
        out[0] = profd_group_ref("tenant", "busy", 0, 0);
    return most > 0;
}

static void handle_event(uint64_t burn_ms, uint64_t blocked_ms)
{
    uint64_t end_ns = thread_cpu_ns() + burn_ms * MS;
    struct profd_stopwatch watch;
    profd_unit_enter(&watch, &slow);
    while (thread_cpu_ns() < end_ns)
        burn_sink += burn_sink * 3 + 1;
    profd_blocked_begin();
    usleep((useconds_t)(blocked_ms * US_PER_MS));
    profd_blocked_end();
    profd_unit_leave(&watch);
}

int main(void)
{
    profd_units_ask(groups_of, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        handle_event(40, 30);
        for (int i = 0; i < SHORT_ONES; i++) {
            handle_event(1, 0);
            usleep(40 * US_PER_MS);
        }
    }
    return 0;
}
