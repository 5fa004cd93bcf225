#include "daemon/agents/exec_calls.h"

#include <stddef.h>

static size_t place_of(pid_t pid)
{
    return (unsigned)pid % EXEC_CALLS;
}

void exec_calls_put(struct exec_calls *calls, const struct exec_call *call)
{
    calls->places[place_of(call->pid)] = *call;
}

const struct exec_call *exec_calls_find(const struct exec_calls *calls, pid_t pid)
{
    const struct exec_call *place = &calls->places[place_of(pid)];

    return pid > 0 && place->pid == pid ? place : NULL;
}

bool exec_calls_take(struct exec_calls *calls, pid_t pid, struct exec_call *out)
{
    const struct exec_call *call = exec_calls_find(calls, pid);

    if (call == NULL)
        return false;
    *out = *call;
    calls->places[place_of(pid)].pid = 0;
    return true;
}

void exec_calls_forget_before(struct exec_calls *calls, uint64_t time_ns)
{
    for (size_t i = 0; i < EXEC_CALLS; i++)
        if (calls->places[i].time_ns < time_ns)
            calls->places[i].pid = 0;
}
