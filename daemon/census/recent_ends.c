#include "daemon/census/recent_ends.h"

static struct recent_end *place_of(struct recent_ends *ends, pid_t pid)
{
    return &ends->places[(unsigned)pid % RECENT_ENDS];
}

void recent_ends_put(struct recent_ends *ends, pid_t pid, uint64_t end_ns)
{
    *place_of(ends, pid) = (struct recent_end){ pid, end_ns };
}

bool recent_ends_take(struct recent_ends *ends, pid_t pid, uint64_t told_ns)
{
    struct recent_end *end = place_of(ends, pid);

    if (end->pid != pid || told_ns > end->end_ns + RECENT_END_NS)
        return false;
    end->pid = 0;
    return true;
}
