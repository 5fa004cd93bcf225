#include "daemon/agents/exec_calls.h"

#include <string.h>

static struct exec_call *place_of(struct exec_calls *calls, pid_t pid)
{
    return &calls->places[(unsigned)pid % EXEC_CALLS];
}

void exec_calls_put(struct exec_calls *calls, const struct exec_call *call)
{
    *place_of(calls, call->pid) = *call;
}

bool exec_calls_take(struct exec_calls *calls, pid_t pid, struct exec_call *out)
{
    struct exec_call *place = place_of(calls, pid);

    if (pid <= 0 || place->pid != pid)
        return false;
    *out = *place;
    place->pid = 0;
    return true;
}

void exec_calls_clear(struct exec_calls *calls)
{
    memset(calls, 0, sizeof(*calls));
}
