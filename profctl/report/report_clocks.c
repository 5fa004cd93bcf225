#include "profctl/report/report_clocks.h"

#include <errno.h>

#include "ipc/clock_choice.h"
#include "profctl/report/clock_line.h"

/* --- Reading --- */

/* NS behind a number of milliseconds; 0 for what is none, or no interval. */
static uint64_t to_ns(const struct json_reader *reader, int token)
{
    double ms = token == JSON_TOKEN_NUMBER ? json_reader_double(reader) : 0;

    return ms > 0 && ms <= (double)SAMPLING_INTERVAL_MOST_NS / 1e6 ? (uint64_t)(ms * 1e6 + 0.5) : 0;
}

/* The next value, skipped when it is a collection: its token, or an error. */
static int next_scalar(struct json_reader *reader)
{
    int token = json_reader_next(reader);

    if (token == JSON_TOKEN_START_OBJECT || token == JSON_TOKEN_START_ARRAY) {
        int err = json_reader_skip(reader);
        return err < 0 ? err : JSON_TOKEN_NULL;
    }
    return token;
}

/* The value of one member of "profd", after its key. */
static int read_member(struct clock_group *process, struct json_reader *reader)
{
    bool is_clock = json_reader_is(reader, "clock");
    bool is_interval = json_reader_is(reader, "clockInterval");
    bool is_refusal = json_reader_is(reader, "clockRefused");
    int token = next_scalar(reader);
    const char *text = "";
    size_t length;

    if (token < 0)
        return token;
    if (is_interval)
        process->shortest_ns = process->longest_ns = to_ns(reader, token);
    if (token != JSON_TOKEN_STRING || (!is_clock && !is_refusal))
        return 0;
    int err = json_reader_string(reader, &text, &length);
    if (err < 0)
        return err;
    if (is_refusal)
        process->refusal = clock_refusal_named(text);
    else
        (void)clock_choice_parse(text, &process->clock); /* one that is not known here is none */
    return 0;
}

/* Goes into the next value. 1, or 0 when it is no object: then it has been read. */
static int enter_object(struct json_reader *reader)
{
    int token = json_reader_next(reader);

    if (token == JSON_TOKEN_START_OBJECT)
        return 1;
    return token < 0 ? token : json_reader_skip(reader);
}

static int leave_object(int token)
{
    if (token < 0)
        return token;
    return token == JSON_TOKEN_END_OBJECT ? 0 : -EPROTO;
}

static int read_account(struct clock_group *process, struct json_reader *reader)
{
    int token, err = enter_object(reader);

    if (err <= 0)
        return err;
    while ((token = json_reader_next(reader)) == JSON_TOKEN_KEY) {
        err = read_member(process, reader);
        if (err < 0)
            return err;
    }
    return leave_object(token);
}

/* What stands under a process id: "profd" and "log". */
static int read_process(struct report_clocks *clocks, struct json_reader *reader)
{
    struct clock_group process = { .processes = 1 };
    int token, err = enter_object(reader);

    if (err <= 0)
        return err;
    while ((token = json_reader_next(reader)) == JSON_TOKEN_KEY) {
        err = json_reader_is(reader, "profd") ? read_account(&process, reader)
                                              : json_reader_skip(reader);
        if (err < 0)
            return err;
    }
    clock_summary_add(&clocks->summary, &process);
    return leave_object(token);
}

int report_clocks_read_log(struct report_clocks *clocks, struct json_reader *reader)
{
    int token, err = enter_object(reader);

    if (err <= 0)
        return err;
    while ((token = json_reader_next(reader)) == JSON_TOKEN_KEY) {
        err = read_process(clocks, reader);
        if (err < 0)
            return err;
    }
    return leave_object(token);
}

int report_clocks_read_interval(struct report_clocks *clocks, struct json_reader *reader)
{
    int token = next_scalar(reader);

    clocks->asked_ns = to_ns(reader, token);
    return token < 0 ? token : 0;
}

/* --- Printing --- */

void report_clocks_print(const struct report_clocks *clocks, FILE *out)
{
    struct clock_summary summary = clocks->summary;
    char line[CLOCK_LINE_BYTES];

    clock_summary_sort(&summary);
    for (size_t i = 0; i < summary.count; i++)
        fprintf(out, "clock: %s\n",
                clock_line_format(&summary.groups[i], clocks->asked_ns, summary.count > 1, line));
}

void report_clocks_add_json(const struct report_clocks *clocks, cJSON *root)
{
    struct clock_summary summary = clocks->summary;
    cJSON *array = cJSON_AddArrayToObject(root, "clocks");

    clock_summary_sort(&summary);
    for (size_t i = 0; i < summary.count; i++) {
        const struct clock_group *group = &summary.groups[i];
        cJSON *object = cJSON_CreateObject();

        cJSON_AddItemToArray(array, object);
        cJSON_AddStringToObject(object, "clock", sampling_clock_name(group->clock));
        cJSON_AddNumberToObject(object, "processes", (double)group->processes);
        cJSON_AddNumberToObject(object, "shortestIntervalMs", (double)group->shortest_ns / 1e6);
        cJSON_AddNumberToObject(object, "longestIntervalMs", (double)group->longest_ns / 1e6);
        if (group->refusal != CLOCK_REFUSAL_NONE)
            cJSON_AddStringToObject(object, "refused", clock_refusal_text(group->refusal));
        else
            cJSON_AddNullToObject(object, "refused");
    }
}
