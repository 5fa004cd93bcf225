#include "profctl/merge/merge_copy.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "profctl/json_copy.h"
#include "profctl/json_steps.h"
#include "profctl/merge/merge_pid.h"

enum { PID_BYTES = 64 };

/* What is under way. */
struct pass {
    struct merge_copy copy;
    struct json_reader *reader; /* that of COPY, or one over what was kept */
    struct json_writer *writer;
    struct merge_counts counts;   /* of the thread at hand */
    bool has_name;                /* it told its process' */
    bool has_interval, has_start; /* the process at hand told its clock's, and "startTime" */
};

/* --- Steps --- */

static int copy_key(struct pass *pass)
{
    return json_copy_token(pass->reader, JSON_TOKEN_KEY, pass->writer);
}

/* Copies an object whose start was read, each member with MEMBER, which starts behind its key. */
static int copy_members(struct pass *pass, int (*member)(struct pass *pass))
{
    int error = 0;

    json_start_object(pass->writer);
    while (json_next_member(pass->reader, &error))
        error = member(pass);
    json_end_object(pass->writer);
    return error;
}

/* The same with the value that comes next; one that is no object is copied as it is. */
static int copy_object(struct pass *pass, int (*member)(struct pass *pass))
{
    int token = json_reader_next(pass->reader);

    return token == JSON_TOKEN_START_OBJECT ? copy_members(pass, member)
                                            : json_copy_from(pass->reader, token, pass->writer);
}

static int copy_object_member(struct pass *pass, int (*member)(struct pass *pass))
{
    int error = copy_key(pass);

    return error < 0 ? error : copy_object(pass, member);
}

/* Calls ELEMENT at the start of each object of the array that comes next. */
static int for_each_object(struct pass *pass, int (*element)(struct pass *pass))
{
    int error = json_expect(pass->reader, JSON_TOKEN_START_ARRAY);

    while (json_next_object(pass->reader, &error))
        error = element(pass);
    return error;
}

/* --- Process ids --- */

static int64_t distinct_pid(const struct pass *pass, int64_t pid)
{
    return pid > 0 && pid <= MERGE_MAX_PID ? pid + pass->copy.source->pid_offset : pid;
}

static int copy_pid(struct pass *pass)
{
    int64_t pid;
    int error = copy_key(pass);
    int token = error == 0 ? json_reader_next(pass->reader) : 0;

    if (error < 0 || !merge_pid_read(pass->reader, token, &pid))
        return error < 0 ? error : json_copy_from(pass->reader, token, pass->writer);
    if (token == JSON_TOKEN_NUMBER) {
        json_i64(pass->writer, distinct_pid(pass, pid));
        return 0;
    }
    char text[PID_BYTES];
    snprintf(text, sizeof(text), "%lld", (long long)distinct_pid(pass, pid));
    json_string(pass->writer, text);
    return 0;
}

/* Of a log, whose keys are process ids. */
static int copy_pid_key(struct pass *pass)
{
    char pid[PID_BYTES];
    int64_t number;
    const char *text;
    size_t length;
    int error = json_reader_string(pass->reader, &text, &length);

    if (error < 0)
        return error;
    if (!merge_pid_parse(text, &number))
        return copy_key(pass);
    snprintf(pid, sizeof(pid), "%lld", (long long)distinct_pid(pass, number));
    json_name(pass->writer, pid);
    return 0;
}

/* --- Logs --- */

static int own_log_member(struct pass *pass)
{
    if (json_reader_is(pass->reader, "pid") || json_reader_is(pass->reader, "parentPid"))
        return copy_pid(pass);
    return json_copy_member(pass->reader, pass->writer);
}

static int log_entry_member(struct pass *pass)
{
    if (json_reader_is(pass->reader, "profd"))
        return copy_object_member(pass, own_log_member);
    return json_copy_member(pass->reader, pass->writer);
}

static int log_member(struct pass *pass)
{
    int error = copy_pid_key(pass);

    return error < 0 ? error : copy_object(pass, log_entry_member);
}

/* --- Threads --- */

static int copy_process_name(struct pass *pass)
{
    const char *text;
    size_t length;
    int error = copy_key(pass);
    int token = error == 0 ? json_reader_next(pass->reader) : 0;

    pass->has_name = true;
    if (error == 0 && token == JSON_TOKEN_NULL) {
        json_string(pass->writer, pass->copy.source->host);
        return 0;
    }
    if (error < 0 || token != JSON_TOKEN_STRING)
        return error < 0 ? error : json_token_error(token);
    error = json_reader_string(pass->reader, &text, &length);
    if (error < 0)
        return error;
    char *name = NULL;
    if (asprintf(&name, "%s: %s", pass->copy.source->host, text) < 0)
        return -ENOMEM;
    json_string(pass->writer, name);
    free(name);
    return 0;
}

static int copy_table(struct pass *pass, enum merge_table table)
{
    int error = copy_key(pass);

    return error < 0 ? error
                     : merge_tables_copy(table, pass->copy.lists, &pass->counts, pass->reader,
                                         pass->writer);
}

static int thread_member(struct pass *pass)
{
    enum merge_table table = merge_tables_named(pass->reader);

    if (json_reader_is(pass->reader, "processName"))
        return copy_process_name(pass);
    if (json_reader_is(pass->reader, "pid"))
        return copy_pid(pass);
    if (table != MERGE_TABLES)
        return copy_table(pass, table);
    return json_copy_member(pass->reader, pass->writer);
}

static int copy_thread(struct pass *pass)
{
    int error = 0;

    pass->has_name = false;
    pass->counts = (struct merge_counts){ 0 };
    json_start_object(pass->writer);
    while (json_next_member(pass->reader, &error))
        error = thread_member(pass);
    if (error == 0)
        error = merge_counts_check(&pass->counts, pass->reader);
    if (error == 0 && !pass->has_name)
        json_string_property(pass->writer, "processName", pass->copy.source->host);
    json_end_object(pass->writer);
    return error;
}

static int copy_threads(struct pass *pass)
{
    int error = copy_key(pass);

    json_start_array(pass->writer);
    if (error == 0)
        error = for_each_object(pass, copy_thread);
    json_end_array(pass->writer);
    return error;
}

/* --- Counters --- */

static int counter_member(struct pass *pass)
{
    if (!json_reader_is(pass->reader, "samples"))
        return json_copy_member(pass->reader, pass->writer);
    int error = copy_key(pass);
    return error < 0 ? error : merge_tables_copy_counter(pass->reader, pass->writer);
}

static int copy_counter(struct pass *pass)
{
    return copy_members(pass, counter_member);
}

static int copy_counters(struct pass *pass)
{
    int error = copy_key(pass);

    json_start_array(pass->writer);
    if (error == 0)
        error = for_each_object(pass, copy_counter);
    json_end_array(pass->writer);
    return error;
}

/* --- Meta --- */

static int write_start(struct pass *pass, double start_unix_ms)
{
    if (!merge_time_is_valid(start_unix_ms))
        return -EPROTO;
    json_time_ms(pass->writer, (int64_t)(start_unix_ms * NS_PER_MS));
    return 0;
}

static int copy_start_time(struct pass *pass)
{
    double offset_ms = pass->copy.source->offset_ms;
    int error = copy_key(pass);
    int token = error == 0 ? json_reader_next(pass->reader) : 0;

    if (error < 0 || token != JSON_TOKEN_NUMBER || offset_ms == 0)
        return error < 0 ? error : json_copy_from(pass->reader, token, pass->writer);
    return write_start(pass, json_reader_double(pass->reader) + offset_ms);
}

static int copy_categories(struct pass *pass)
{
    int error = copy_key(pass);

    if (error == 0)
        error = category_lists_read(&pass->copy.lists->categories, pass->reader);
    if (error == 0)
        category_lists_write(&pass->copy.lists->categories, pass->writer);
    return error;
}

static int copy_schemas(struct pass *pass)
{
    int error = copy_key(pass);

    return error < 0 ? error
                     : marker_schemas_copy(&pass->copy.lists->schemas, pass->reader, pass->writer);
}

static int meta_member(struct pass *pass)
{
    pass->has_interval |= json_reader_is(pass->reader, "interval");
    pass->has_start |= json_reader_is(pass->reader, "startTime");
    if (json_reader_is(pass->reader, "startTime"))
        return copy_start_time(pass);
    if (json_reader_is(pass->reader, "categories"))
        return copy_categories(pass);
    if (json_reader_is(pass->reader, "markerSchema"))
        return copy_schemas(pass);
    return json_copy_member(pass->reader, pass->writer);
}

/* Of the members that only a root has, those about the machine are kept; "product" says that it was
 * a root. */
static int root_meta_member(struct pass *pass)
{
    static const char *const kept[] = { "version",    "startTime", "shutdownTime",
                                        "categories", "interval",  "markerSchema",
                                        "product",    "oscpu",     "CPUName",
                                        "platform",   "abi",       "physicalCPUs",
                                        "logicalCPUs" };

    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        if (json_reader_is(pass->reader, kept[i]))
            return meta_member(pass);
    }
    return json_reader_skip(pass->reader);
}

/* What a process does not tell of its clock, and when its time begins, was said by its root, which
 * is another one now. */
static int copy_meta_members(struct pass *pass, int (*member)(struct pass *pass))
{
    const struct merge_source *source = pass->copy.source;
    int error = 0;

    pass->has_interval = pass->has_start = false;
    json_start_object(pass->writer);
    while (json_next_member(pass->reader, &error))
        error = member(pass);
    if (error == 0 && !pass->has_interval && !isnan(source->interval_ms))
        json_double_property(pass->writer, "interval", source->interval_ms);
    if (error == 0 && !pass->has_start) {
        json_name(pass->writer, "startTime");
        error = write_start(pass, source->start_unix_ms + source->offset_ms);
    }
    json_end_object(pass->writer);
    return error;
}

static int copy_meta(struct pass *pass)
{
    int error = copy_key(pass);

    if (error == 0)
        error = json_expect(pass->reader, JSON_TOKEN_START_OBJECT);
    return error < 0 ? error : copy_meta_members(pass, meta_member);
}

/* That of the root, which may stand behind what needs it. */
static int copy_kept_meta(struct pass *pass)
{
    const struct mapped_array *meta = &pass->copy.source->meta;

    json_name(pass->writer, "meta");
    int error = json_reader_open_memory(meta->items, meta->count, &pass->reader);
    if (error == 0) {
        error = json_expect(pass->reader, JSON_TOKEN_START_OBJECT);
        if (error == 0)
            error = copy_meta_members(pass, root_meta_member);
        json_reader_close(pass->reader);
    }
    pass->reader = pass->copy.reader;
    return error;
}

/* --- Processes --- */

static int process_member(struct pass *pass)
{
    if (json_reader_is(pass->reader, "meta"))
        return copy_meta(pass);
    if (json_reader_is(pass->reader, "threads"))
        return copy_threads(pass);
    if (json_reader_is(pass->reader, "counters"))
        return copy_counters(pass);
    if (json_reader_is(pass->reader, "profilingLog") ||
        json_reader_is(pass->reader, "profileGatheringLog"))
        return copy_object_member(pass, log_member);
    return json_copy_member(pass->reader, pass->writer);
}

static int copy_process(struct pass *pass)
{
    category_lists_forget_process(&pass->copy.lists->categories);
    return copy_members(pass, process_member);
}

static int root_member(struct pass *pass)
{
    if (json_reader_is(pass->reader, "meta") || json_reader_is(pass->reader, "processes"))
        return json_reader_skip(pass->reader);
    return process_member(pass);
}

static int members_of_processes(struct pass *pass)
{
    if (json_reader_is(pass->reader, "processes"))
        return for_each_object(pass, copy_process);
    return json_reader_skip(pass->reader);
}

static struct pass begin_pass(const struct merge_copy *copy)
{
    return (struct pass){ .copy = *copy, .reader = copy->reader, .writer = copy->writer };
}

/* Nothing may come behind the root's end. */
static int read_root(struct pass *pass, int (*member)(struct pass *pass))
{
    int error = json_expect(pass->reader, JSON_TOKEN_START_OBJECT);

    while (json_next_member(pass->reader, &error))
        error = member(pass);
    return error < 0 ? error : json_expect(pass->reader, JSON_TOKEN_END);
}

int merge_copy_root(const struct merge_copy *copy)
{
    struct pass pass = begin_pass(copy);

    category_lists_forget_process(&copy->lists->categories);
    json_start_object(copy->writer);
    int error = copy_kept_meta(&pass);
    if (error == 0)
        error = read_root(&pass, root_member);
    json_start_array_property(copy->writer, "processes");
    json_end_array(copy->writer);
    json_end_object(copy->writer);
    return error;
}

int merge_copy_processes(const struct merge_copy *copy)
{
    struct pass pass = begin_pass(copy);

    return read_root(&pass, members_of_processes);
}
