#include "daemon/agents/exec_calls.h"

#include <stddef.h>

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

const struct exec_call *exec_calls_find(const struct exec_calls *calls, pid_t pid)
{
    const struct exec_call *place = &calls->places[(unsigned)pid % EXEC_CALLS];

    return pid > 0 && place->pid == pid ? place : NULL;
}

void exec_calls_forget_before(struct exec_calls *calls, uint64_t time_ns)
{
    for (size_t i = 0; i < EXEC_CALLS; i++)
        if (calls->places[i].time_ns < time_ns)
            calls->places[i].pid = 0;
}
