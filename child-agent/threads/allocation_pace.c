#include "child-agent/threads/allocation_pace.h"

#include <stdbool.h>

/* So many times slower than needed, half the interval is enough, with some room to spare: else it
 * would go to and fro. */
enum { SLOW_TURNS = 3 };

static const uint64_t TURN_NS = ALLOCATION_PACE_TURN * ALLOCATION_PACE_LEAST_NS;

uint64_t allocation_pace_interval(const struct allocation_pace *pace, uint64_t interval_bytes)
{
    return interval_bytes << pace->doublings;
}

static void begin_turn(struct allocation_pace *pace, uint64_t now_ns)
{
    pace->turned_ns = now_ns;
    pace->samples = 0;
}

/* The thread was slow, or at rest, for so long: the next sample must not be as far away. */
static void calm_down(struct allocation_pace *pace, uint64_t rest_ns, uint64_t now_ns)
{
    for (; rest_ns > ALLOCATION_PACE_CALM_NS && pace->doublings > 0; rest_ns /= 2)
        pace->doublings--;
    begin_turn(pace, now_ns);
}

static void end_turn(struct allocation_pace *pace, uint64_t now_ns)
{
    uint64_t passed_ns = now_ns - pace->turned_ns;
    if (passed_ns < TURN_NS && pace->doublings < ALLOCATION_PACE_MOST_DOUBLINGS)
        pace->doublings++;
    else if (passed_ns > SLOW_TURNS * TURN_NS && pace->doublings > 0)
        pace->doublings--;
    begin_turn(pace, now_ns);
}

void allocation_pace_note(struct allocation_pace *pace, uint64_t now_ns)
{
    uint64_t rest_ns = now_ns - pace->sampled_ns;
    bool is_known = pace->sampled_ns != 0 && now_ns != 0;
    pace->sampled_ns = now_ns;
    if (!is_known)
        begin_turn(pace, now_ns);
    else if (rest_ns > ALLOCATION_PACE_CALM_NS)
        calm_down(pace, rest_ns, now_ns);
    else if (++pace->samples == ALLOCATION_PACE_TURN)
        end_turn(pace, now_ns);
}
