#include "profctl/profile/process_log.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/process_verdict.h"
#include "common/sampling_clock.h"
#include "common/time_units.h"
#include "profctl/json_steps.h"
#include "profctl/tables/json_text.h"

uint64_t process_log_interval_ns(double ms)
{
    double ns = ms * NS_PER_MS;

    return ns > 0 && ns <= (double)SAMPLING_INTERVAL_MAX_NS ? (uint64_t)(ns + 0.5) : 0;
}

bool process_log_goes_on(const struct process_log *log)
{
    return log->outcome != NULL && strcmp(log->outcome, process_verdict_name(VERDICT_EXECED)) == 0;
}

double process_log_charged_ms(const struct process_log *log)
{
    return process_log_goes_on(log) ? log->cpu_at_exec_ms : log->cpu_ms;
}

bool process_log_is_least(const struct process_log *log)
{
    return log->cpu_until != NULL && strcmp(log->cpu_until, "last record") == 0;
}

void process_log_init(struct process_log *log)
{
    *log = (struct process_log){ .code = -1,
                                 .pid = -1,
                                 .later_images = -1,
                                 .cpu_ms = -1,
                                 .cpu_before_ms = -1,
                                 .cpu_at_exec_ms = -1,
                                 .clock_interval_ms = -1,
                                 .lost_blocks = -1,
                                 .refused = { -1, -1 },
                                 .labels_left_out = -1,
                                 .parent_pid = -1,
                                 .start_ms = NAN,
                                 .end_ms = NAN,
                                 .process_start_ms = NAN };
}

void process_log_free(struct process_log *log)
{
    free(log->verdict);
    free(log->outcome);
    free(log->reason);
    free(log->clock);
    free(log->clock_refused);
    free(log->cpu_until);
    free(log->executable);
    free(log->labels);
    mapped_array_free(&log->command_line);
    process_log_init(log);
}

static int append_argument(struct mapped_array *line, struct json_reader *reader)
{
    const char *view;
    size_t length;
    int error = json_reader_string(reader, &view, &length);

    if (error == 0)
        error = mapped_array_reserve(line, line->count + length + 2, 1); /* a space, and the end */
    if (error < 0)
        return error;
    char *end = (char *)line->items + line->count;
    if (line->count > 0)
        *end++ = ' ';
    memcpy(end, view, length + 1);
    line->count = (size_t)(end + length - (char *)line->items);
    return 0;
}

/* Any value but an array of strings stands for no command line. */
static int read_command_line(struct mapped_array *line, struct json_reader *reader)
{
    int token = json_reader_next(reader), error = 0;

    line->count = 0;
    if (token != JSON_TOKEN_START_ARRAY)
        return token < 0 ? token : json_reader_skip(reader);
    bool is_right = true;
    while (error == 0 && (token = json_reader_next(reader)) != JSON_TOKEN_END_ARRAY && token >= 0) {
        is_right = is_right && token == JSON_TOKEN_STRING;
        error = is_right ? append_argument(line, reader) : json_reader_skip(reader);
    }
    if (!is_right)
        line->count = 0;
    return error < 0 ? error : token < 0 ? token : 0;
}

/* Calls MEMBER behind each key of the next value, when it is an object. */
static int for_each_member(struct process_log *log, struct json_reader *reader,
                           int (*member)(struct process_log *log, struct json_reader *reader))
{
    int token = json_reader_next(reader), error = 0;

    if (token != JSON_TOKEN_START_OBJECT)
        return json_reader_skip(reader);
    while (json_next_member(reader, &error))
        error = member(log, reader);
    return error;
}

static int read_event(struct process_log *log, struct json_reader *reader)
{
    if (json_reader_is(reader, "unreadable-stack"))
        return json_number_keep(reader, &log->refused.unreadable);
    if (json_reader_is(reader, "refused-signal"))
        return json_number_keep(reader, &log->refused.unasked);
    return json_reader_skip(reader);
}

static int read_member(struct process_log *log, struct json_reader *reader)
{
    const struct {
        const char *name;
        char **place;
    } texts[] = { { "verdict", &log->verdict },
                  { "outcome", &log->outcome },
                  { "reason", &log->reason },
                  { "clock", &log->clock },
                  { "clockRefused", &log->clock_refused },
                  { "cpuTimeUntil", &log->cpu_until },
                  { "executable", &log->executable },
                  { "labels", &log->labels } };
    const struct {
        const char *name;
        double *place;
    } numbers[] = { { "code", &log->code },
                    { "pid", &log->pid },
                    { "laterImages", &log->later_images },
                    { "cpuTime", &log->cpu_ms },
                    { "cpuTimeBefore", &log->cpu_before_ms },
                    { "cpuTimeAtExec", &log->cpu_at_exec_ms },
                    { "clockInterval", &log->clock_interval_ms },
                    { "lostBlocks", &log->lost_blocks },
                    { "labelsLeftOut", &log->labels_left_out },
                    { "parentPid", &log->parent_pid },
                    { "startTime", &log->start_ms },
                    { "endTime", &log->end_ms },
                    { "processStartTime", &log->process_start_ms } };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (json_reader_is(reader, texts[i].name))
            return json_text_keep_if_string(reader, texts[i].place);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (json_reader_is(reader, numbers[i].name))
            return json_number_keep(reader, numbers[i].place);
    if (json_reader_is(reader, "events"))
        return for_each_member(log, reader, read_event);
    if (json_reader_is(reader, "commandLine"))
        return read_command_line(&log->command_line, reader);
    return json_reader_skip(reader);
}

static int read_entry_member(struct process_log *log, struct json_reader *reader)
{
    if (json_reader_is(reader, "profd"))
        return for_each_member(log, reader, read_member);
    return json_reader_skip(reader);
}

static int read_entry(struct process_log *log, struct json_reader *reader)
{
    return for_each_member(log, reader, read_entry_member);
}

int process_log_read(struct process_log *log, struct json_reader *reader)
{
    return for_each_member(log, reader, read_entry);
}

const char *process_log_command_line(const struct process_log *log)
{
    return log->command_line.count > 0 ? log->command_line.items : NULL;
}
