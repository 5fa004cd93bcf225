#include "daemon/triggers/cpu_watch.h"

#include <errno.h>
#include <stdlib.h>

enum { PERCENT = 100 };

void cpu_watch_free(struct cpu_watch *watch)
{
    free(watch->processes);
    *watch = (struct cpu_watch){ 0 };
}

static int compare_pids(const void *left, const void *right)
{
    const struct watched_process *a = left, *b = right;

    return (a->pid > b->pid) - (a->pid < b->pid);
}

static struct watched_process *find_process(struct cpu_watch *watch, pid_t pid)
{
    const struct watched_process wanted = { .pid = pid };

    return watch->sorted == 0
               ? NULL
               : bsearch(&wanted, watch->processes, watch->sorted, sizeof(wanted), compare_pids);
}

static int push_process(struct cpu_watch *watch, const struct watched_process *process)
{
    if (watch->count == watch->room) {
        size_t room = watch->room == 0 ? 64 : 2 * watch->room;
        struct watched_process *grown = realloc(watch->processes, room * sizeof(*grown));
        if (grown == NULL)
            return -ENOMEM;
        watch->processes = grown;
        watch->room = room;
    }
    watch->processes[watch->count++] = *process;
    return 0;
}

int cpu_watch_note(struct cpu_watch *watch, const struct trigger_cpu *rule, pid_t pid,
                   uint64_t start_ns, uint64_t cpu_ns, uint64_t now_ns, bool *is_too_much)
{
    const struct watched_process now = { pid, start_ns, now_ns, cpu_ns, true };
    struct watched_process *known = find_process(watch, pid);

    *is_too_much = false;
    if (known == NULL)
        return push_process(watch, &now);
    if (known->start_ns != start_ns || cpu_ns < known->cpu_ns) {
        *known = now; /* another process of that number */
        return 0;
    }
    known->is_seen = true;
    uint64_t while_ns = now_ns - known->since_ns;
    if (while_ns < rule->within_ns)
        return 0;
    *is_too_much = cpu_ns - known->cpu_ns > while_ns / PERCENT * rule->percent;
    *known = now;
    return 0;
}

void cpu_watch_end_look(struct cpu_watch *watch)
{
    size_t kept = 0;

    for (size_t i = 0; i < watch->count; i++) {
        if (!watch->processes[i].is_seen)
            continue;
        watch->processes[i].is_seen = false;
        watch->processes[kept++] = watch->processes[i];
    }
    watch->count = watch->sorted = kept;
    if (kept > 0)
        qsort(watch->processes, kept, sizeof(*watch->processes), compare_pids);
}
