#include "daemon/census/census_foreign.h"

#include "buffer/census_ring.h"

static struct census_foreign_process *process_place(struct census_foreign *foreign,
                                                    uint64_t identity)
{
    return &foreign->processes[identity % CENSUS_FOREIGN_PROCESSES];
}

static struct census_foreign_end *end_place(struct census_foreign *foreign, uint64_t identity)
{
    return &foreign->ends[identity % CENSUS_FOREIGN_ENDS];
}

void census_foreign_learn(struct census_foreign *foreign,
                          const struct census_foreign_process *process, bool is_sure)
{
    struct census_foreign_process *place = process_place(foreign, process->identity);

    if (process->identity != 0 && (is_sure || place->identity != process->identity))
        *place = *process;
}

pid_t census_foreign_find(const struct census_foreign *foreign, uint64_t identity)
{
    const struct census_foreign_process *place =
        &foreign->processes[identity % CENSUS_FOREIGN_PROCESSES];

    return identity != 0 && place->identity == identity ? place->pid : 0;
}

static void keep_end(struct census_foreign *foreign, const struct census_entry *entry)
{
    *end_place(foreign, entry->identity) = (struct census_foreign_end){
        .identity = entry->identity,
        .time_ns = entry->time_ns,
        .cpu_ns = entry->cpu_ns,
        .wait_status = entry->wait_status,
    };
}

bool census_foreign_resolve(struct census_foreign *foreign, struct census_entry *entry)
{
    struct census_foreign_process *process = process_place(foreign, entry->identity);

    if (entry->identity == 0)
        return false;
    if (process->identity != entry->identity) {
        keep_end(foreign, entry);
        return false;
    }
    entry->kind = CENSUS_ENDED;
    entry->pid = process->pid;
    entry->parent_pid = process->parent_pid;
    process->identity = 0;
    return true;
}

bool census_foreign_take_end(struct census_foreign *foreign, uint64_t identity,
                             struct census_entry *end)
{
    struct census_foreign_end *kept = end_place(foreign, identity);

    if (identity == 0 || kept->identity != identity)
        return false;
    *end = (struct census_entry){ .kind = CENSUS_FOREIGN_ENDED,
                                  .identity = identity,
                                  .time_ns = kept->time_ns,
                                  .cpu_ns = kept->cpu_ns,
                                  .wait_status = kept->wait_status };
    kept->identity = 0;
    return true;
}
