#include "profctl/export/exported_process.h"

#include <math.h>
#include <string.h>

#include "common/file_name.h"
#include "common/time_units.h"

static int64_t pid_of(double number)
{
    return number >= 0 && number < INT32_MAX ? (int64_t)number : -1;
}

static uint32_t count_of(double number)
{
    return number >= 1 && number < UINT32_MAX ? (uint32_t)number : 0;
}

static enum exported_end end_of(const struct process_log *log)
{
    if (process_log_goes_on(log))
        return EXPORTED_WENT_ON;
    return isnan(log->end_ms) ? EXPORTED_LIVES : EXPORTED_ENDED;
}

/* The earliest time that is known, since a parent may end before its child does. */
static int64_t seen_at(const struct process_log *log, int64_t reference_ns)
{
    double ms = !isnan(log->process_start_ms) ? log->process_start_ms
                : !isnan(log->start_ms)       ? log->start_ms
                                              : log->end_ms;

    return fabs(ms) < (double)INT64_MAX / NS_PER_MS / 4 ? reference_ns + llround(ms * NS_PER_MS)
                                                        : -1;
}

struct exported_process exported_process_of(const struct process_log *log, int64_t reference_ns,
                                            const char *name)
{
    bool has_path = log->executable != NULL && log->executable[0] != '\0';
    const char *program = has_path ? file_name_of(log->executable) : name;

    return (struct exported_process){
        .program = program,
        .kind = strcmp(program, name) != 0 ? name : "",
        .build_id = "",
        .labels = log->labels,
        .labels_left_out = count_of(log->labels_left_out),
        .pid = pid_of(log->pid),
        .parent_pid = pid_of(log->parent_pid),
        .seen_ns = seen_at(log, reference_ns),
        .later_images = count_of(log->later_images),
        .end = end_of(log),
        .has_agent = log->verdict != NULL && strcmp(log->verdict, "not-profiled") != 0,
    };
}
