/* When programs were called for by exec: before their agents can tell of them. */
#include "daemon/agents/agents_inside.h"

static void begin_process(struct child *child, uint64_t time_ns)
{
    if (!child->is_fork && child->process_start_ns == child->start_ns)
        child->process_start_ns = time_ns;
}

void agents_note_exec_call(struct agents *agents, const struct exec_call *call)
{
    struct child *latest = child_table_find_latest(agents->children, call->pid);

    if (latest != NULL && latest->start_ns >= call->time_ns)
        begin_process(latest, call->time_ns);
    else
        exec_calls_put(&agents->exec_calls, call);
}

void agents_note_exec_failed(struct agents *agents, pid_t pid)
{
    struct exec_call call;

    (void)exec_calls_take(&agents->exec_calls, pid, &call);
}

/* Takes the call that made the image WHO; a later one is of the program that it becomes. */
static bool take_call(struct agents *agents, const struct child_introduction *who,
                      struct exec_call *out)
{
    const struct exec_call *call = exec_calls_find(&agents->exec_calls, who->pid);

    return !who->is_fork && call != NULL && call->time_ns <= who->start_ns &&
           exec_calls_take(&agents->exec_calls, who->pid, out);
}

uint64_t agents_settle_exec_call(struct agents *agents, struct child *earlier, struct child *child,
                                 const struct child_introduction *who)
{
    struct exec_call call;

    if (!take_call(agents, who, &call))
        return who->start_ns;
    if (earlier == NULL) {
        if (child != NULL)
            begin_process(child, call.time_ns);
    } else if (call.time_ns >= earlier->start_ns) {
        earlier->cpu.at_exec_ns = call.cpu_ns;
        return call.time_ns;
    }
    return who->start_ns;
}

/* The last exec call that CHILD's process told of as this program. */
static const struct exec_call *find_call(const struct agents *agents, const struct child *child)
{
    const struct exec_call *call = exec_calls_find(&agents->exec_calls, child->pid);

    return call != NULL && call->time_ns >= child->start_ns ? call : NULL;
}

bool agents_knows_exec(const struct agents *agents, const struct child *child)
{
    return find_call(agents, child) != NULL;
}

uint64_t agents_exec_time(const struct agents *agents, const struct child *child, uint64_t now_ns)
{
    const struct exec_call *call = find_call(agents, child);

    return call != NULL && call->time_ns <= now_ns ? call->time_ns : now_ns;
}
