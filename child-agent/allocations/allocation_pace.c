#include "child-agent/allocations/allocation_pace.h"

/* So many times slower than needed, half the interval is enough, with some room to spare: else it
 * would go to and fro. */
enum { SLOW_TURNS = 3 };

static const uint64_t TURN_NS = ALLOCATION_PACE_TURN * ALLOCATION_PACE_LEAST_NS;

uint64_t allocation_pace_interval(const struct allocation_pace *pace, uint64_t interval_bytes)
{
    return interval_bytes << pace->doublings;
}

bool allocation_pace_count(struct allocation_pace *pace)
{
    pace->samples = (uint8_t)((pace->samples + 1) % ALLOCATION_PACE_TURN);
    return pace->samples == 0;
}

void allocation_pace_end_turn(struct allocation_pace *pace, uint64_t now_ns)
{
    uint64_t passed_ns = now_ns - pace->turned_ns;
    bool is_known = pace->turned_ns != 0 && now_ns != 0;
    pace->turned_ns = now_ns;
    if (!is_known)
        return;
    if (passed_ns < TURN_NS && pace->doublings < ALLOCATION_PACE_MOST_DOUBLINGS)
        pace->doublings++;
    else if (passed_ns > SLOW_TURNS * TURN_NS && pace->doublings > 0)
        pace->doublings--;
}
