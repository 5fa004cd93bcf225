#include "profctl/profile/process_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buffer/sampling_clock.h"

uint64_t process_log_interval_ns(double ms)
{
    return ms > 0 && ms <= (double)SAMPLING_INTERVAL_MOST_NS / 1e6 ? (uint64_t)(ms * 1e6 + 0.5) : 0;
}

void process_log_init(struct process_log *log)
{
    *log = (struct process_log){ .code = -1,
                                 .pid = -1,
                                 .later_images = -1,
                                 .cpu_ms = -1,
                                 .cpu_before_ms = -1,
                                 .clock_interval_ms = -1,
                                 .lost_blocks = -1 };
}

void process_log_free(struct process_log *log)
{
    free(log->verdict);
    free(log->outcome);
    free(log->reason);
    free(log->clock);
    free(log->clock_refused);
    process_log_init(log);
}

static int read_text(struct json_reader *reader, char **text)
{
    const char *view;
    size_t length;
    int token = json_reader_next(reader);

    if (token != JSON_TOKEN_STRING)
        return json_reader_skip(reader);
    int err = json_reader_string(reader, &view, &length);
    if (err < 0)
        return err;
    free(*text);
    *text = strndup(view, length);
    return *text != NULL ? 0 : -ENOMEM;
}

static int read_number(struct json_reader *reader, double *number)
{
    if (json_reader_next(reader) != JSON_TOKEN_NUMBER)
        return json_reader_skip(reader);
    *number = json_reader_double(reader);
    return 0;
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
                  { "clockRefused", &log->clock_refused } };
    const struct {
        const char *name;
        double *place;
    } numbers[] = { { "code", &log->code },
                    { "pid", &log->pid },
                    { "laterImages", &log->later_images },
                    { "cpuTime", &log->cpu_ms },
                    { "cpuTimeBefore", &log->cpu_before_ms },
                    { "clockInterval", &log->clock_interval_ms },
                    { "lostBlocks", &log->lost_blocks } };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (json_reader_is(reader, texts[i].name))
            return read_text(reader, texts[i].place);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (json_reader_is(reader, numbers[i].name))
            return read_number(reader, numbers[i].place);
    return json_reader_skip(reader);
}

/* Calls MEMBER behind each key of the next value, when it is an object. */
static int for_each_member(struct process_log *log, struct json_reader *reader,
                           int (*member)(struct process_log *log, struct json_reader *reader))
{
    int token = json_reader_next(reader), err = 0;

    if (token != JSON_TOKEN_START_OBJECT)
        return json_reader_skip(reader);
    while (err == 0 && (token = json_reader_next(reader)) == JSON_TOKEN_KEY)
        err = member(log, reader);
    if (err < 0 || token == JSON_TOKEN_END_OBJECT)
        return err;
    return token < 0 ? token : -EPROTO;
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
