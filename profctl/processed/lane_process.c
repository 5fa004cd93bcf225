#include "profctl/processed/lane_process.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void put_end(const struct process_log *log, struct json_writer *writer)
{
    const char *end = log->outcome != NULL ? log->outcome : log->verdict;
    bool is_signal = end != NULL && (strcmp(end, "killed") == 0 || strcmp(end, "crashed") == 0);
    char text[128];

    if (end == NULL)
        return;
    if (log->code > 0)
        snprintf(text, sizeof(text), is_signal ? "%.64s by signal %.0f" : "%.64s with %.0f", end,
                 log->code);
    else
        snprintf(text, sizeof(text), "%.64s", end);
    json_string_property(writer, "end", text);
}

void lane_process_put(const struct lane_slot *slot, const struct process_log *log, double cpu_ms,
                      struct json_writer *writer)
{
    const char *command = process_log_command_line(log);
    char id[32];

    snprintf(id, sizeof(id), "%.0f", slot->last_pid);
    json_string_property(writer, "pid", id);
    json_string_property(writer, "command", command != NULL ? command : slot->program);
    put_end(log, writer);
    if (cpu_ms >= 0)
        json_double_property(writer, "cpu", cpu_ms);
}
