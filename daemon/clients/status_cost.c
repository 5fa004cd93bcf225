#include "daemon/clients/status_cost.h"

#include <string.h>
#include <time.h>

#include "buffer/clock.h"
#include "common/time_units.h"
#include "daemon/programs/command.h"
#include "daemon/programs/export_program.h"
#include "daemon/programs/supervisor.h"
#include "daemon/session.h"

static const double minute_ns = 60.0 * NS_PER_S;

double status_cost_per_minute(double amount, uint64_t over_ns)
{
    return over_ns > 0 ? amount * minute_ns / (double)over_ns : 0;
}

/* The CPU time in ms a minute of the process with CLOCK that began at START_NS; below 0: unknown.
 */
static double cpu_ms_of(clockid_t clock, uint64_t start_ns, uint64_t now_ns)
{
    struct timespec cpu;

    if (clock_gettime(clock, &cpu) < 0)
        return -1;
    double cpu_ms = (double)cpu.tv_sec * MS_PER_S + (double)cpu.tv_nsec / NS_PER_MS;
    return status_cost_per_minute(cpu_ms, now_ns - start_ns);
}

static const struct command *find_export(const struct supervisor *supervisor)
{
    for (const struct command *command = supervisor->commands; command; command = command->next)
        if (strcmp(command->name, EXPORT_PROGRAM_NAME) == 0)
            return command;
    return NULL;
}

static void add_export(cJSON *object, const struct supervisor *supervisor, uint64_t now_ns)
{
    const struct command *command = find_export(supervisor);
    clockid_t clock;

    if (command == NULL || clock_getcpuclockid(command->pid, &clock) != 0)
        return;
    double cpu_ms = cpu_ms_of(clock, command->start_ns, now_ns);
    if (cpu_ms >= 0)
        cJSON_AddNumberToObject(object, "export_cpu_ms", cpu_ms);
}

void status_cost_add(cJSON *root, const struct status_cost_view *view)
{
    uint64_t now_ns = clock_monotonic_ns(), session_ns = now_ns - view->session->start_ns;
    cJSON *object = cJSON_AddObjectToObject(root, "minute_cost");

    cJSON_AddNumberToObject(object, "profd_cpu_ms",
                            cpu_ms_of(CLOCK_PROCESS_CPUTIME_ID, view->start_ns, now_ns));
    add_export(object, view->supervisor, now_ns);
    cJSON_AddNumberToObject(
        object, "blocks",
        status_cost_per_minute((double)view->account->produced_blocks, session_ns));
    cJSON_AddNumberToObject(
        object, "bytes", status_cost_per_minute((double)view->account->produced_bytes, session_ns));
}
