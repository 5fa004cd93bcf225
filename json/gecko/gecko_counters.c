/* Counters: from the sampler's entries to rows while the chunks are read, from rows to JSON
 * afterwards.
 *
 * A row is three LEB128 numbers: ns since the counter's previous row, zigzag(change of the count),
 * change of the number of operations. Where a counter stood still there are no rows but the last of
 * that time, so that viewers, which draw from row to row, show what changes as late as it did. */
#include <errno.h>
#include <string.h>

#include "buffer/leb128.h"
#include "json/gecko/gecko_context.h"
#include "json/gecko/gecko_schema.h"

enum { ROW_MAX_BYTES = 3 * LEB128_MAX_BYTES };

void counters_add(struct process_context *process, const struct arena_record *record)
{
    if (record->index >= COUNTERS_MAX) {
        process->bad_entries++;
        return;
    }
    if (mapped_array_reserve(&process->counters, COUNTERS_MAX, sizeof(struct counter_context)) <
        0) {
        failure_latch_set(process->latch, -ENOMEM);
        return;
    }
    struct counter_context *counter =
        (struct counter_context *)process->counters.items + record->index;
    counter->name = record->name;
    counter->category = record->extra;
    counter->description = record->file;
    if (record->index >= process->counters.count)
        process->counters.count = record->index + 1;
}

static struct counter_context *find_counter(const struct process_context *process, uint32_t index)
{
    if (index >= process->counters.count)
        return NULL;
    struct counter_context *counter = (struct counter_context *)process->counters.items + index;
    return counter->name.bytes != NULL ? counter : NULL;
}

/* Times never go backwards. */
static void add_row(struct process_context *process, struct counter_context *counter,
                    uint64_t time_ns, struct counter_total by)
{
    struct mapped_array *rows = &counter->rows;
    int error = mapped_array_reserve(rows, rows->count + ROW_MAX_BYTES, 1);
    if (error < 0) {
        failure_latch_set(process->latch, error);
        return;
    }
    if (time_ns < counter->last_ns)
        time_ns = counter->last_ns;
    uint8_t *start = rows->items;
    uint8_t *out = start + rows->count;
    out = leb128_write(out, time_ns - counter->last_ns);
    out = leb128_write(out, zigzag_encode(by.count));
    out = leb128_write(out, by.number);
    rows->count = (size_t)(out - start);
    counter->last_ns = time_ns;
    counter->has_rows = true;
}

/* When the sampler last looked, before what it says now. */
static uint64_t last_tick_ns(const struct process_context *process)
{
    const uint64_t *times = process->ticks.items;
    return process->ticks.count > 0 ? times[process->ticks.count - 1] : 0;
}

/* Viewers draw memory as a level, which begins at its whole; of others it is changes that count. */
static bool is_level(const struct counter_context *counter)
{
    static const char level[] = "Memory";
    return counter->category.length == sizeof(level) - 1 &&
           memcmp(counter->category.bytes, level, sizeof(level) - 1) == 0;
}

/* What a chunk says first is how things stood at the tick before: at the start, if there was none.
 */
static void take_first(struct process_context *process, struct counter_context *counter,
                       struct counter_total total)
{
    struct counter_total first = { 0 };
    uint64_t time_ns =
        process->ticks.count > 1 ? last_tick_ns(process) : process->info.session_start_ns;
    if (is_level(counter))
        first = total;
    add_row(process, counter, time_ns, first);
}

static void take_change(struct process_context *process, struct counter_context *counter,
                        struct counter_total by, uint64_t time_ns)
{
    static const struct counter_total nothing = { 0 };
    uint64_t before_ns = last_tick_ns(process);
    /* Also before the first: viewers don't count what the first row says. */
    if (!counter->has_rows || counter->last_ns < before_ns)
        add_row(process, counter, before_ns, nothing);
    add_row(process, counter, time_ns, by);
}

static struct counter_total subtract_totals(struct counter_total now, struct counter_total before)
{
    return (struct counter_total){
        .count = (int64_t)((uint64_t)now.count - (uint64_t)before.count),
        .number = now.number - before.number,
    };
}

static struct counter_total add_totals(struct counter_total a, struct counter_total b)
{
    return (struct counter_total){
        .count = (int64_t)((uint64_t)a.count + (uint64_t)b.count),
        .number = a.number + b.number,
    };
}

/* Totals that do not follow from the changes: some were lost, at an unknown time. */
static void take_total(struct process_context *process, struct counter_context *counter,
                       struct counter_total total, uint64_t time_ns)
{
    struct counter_total lost = subtract_totals(total, counter->known);
    if (!counter->has_rows)
        take_first(process, counter, total);
    else if (lost.count != 0 || lost.number != 0)
        add_row(process, counter, time_ns, lost);
    counter->known = total;
}

int counters_take(struct process_context *process, struct counter_cursor *cursor, bool are_totals,
                  uint64_t time_ns)
{
    struct counter_change change;
    int found;
    while ((found = counter_cursor_next(cursor, &change)) == 1) {
        struct counter_context *counter = find_counter(process, change.index);
        if (counter == NULL)
            return -EPROTO;
        if (are_totals) {
            take_total(process, counter, change.by, time_ns);
        } else {
            take_change(process, counter, change.by, time_ns);
            counter->known = add_totals(counter->known, change.by);
        }
    }
    return found;
}

/* --- JSON --- */

static void stream_row(const struct process_context *process, struct json_writer *writer,
                       uint64_t time_ns, struct counter_total by)
{
    json_start_array(writer);
    json_time_ms(writer, process_relative_ns(process, time_ns));
    json_i64(writer, by.count);
    json_u64(writer, by.number);
    json_end_array(writer);
}

/* Reads the row at *IN, which add_row wrote. */
static bool next_row(const uint8_t **in, const uint8_t *end, uint64_t *time_ns,
                     struct counter_total *by)
{
    uint64_t later_ns = 0, count = 0;
    if (*in == end)
        return false;
    *in = leb128_read(*in, end, &later_ns);
    if (*in != NULL)
        *in = leb128_read(*in, end, &count);
    if (*in != NULL)
        *in = leb128_read(*in, end, &by->number);
    *time_ns += later_ns;
    by->count = zigzag_decode(count);
    return *in != NULL;
}

/* What happened before the capture's time is in its first row, if that is a level. */
static void stream_rows(const struct process_context *process,
                        const struct counter_context *counter, struct json_writer *writer)
{
    const uint64_t since_ns = process->options.since_ns;
    const uint8_t *in = counter->rows.items;
    const uint8_t *end = in + counter->rows.count;
    struct counter_total by, before = { 0 };
    uint64_t time_ns = 0, last_ns = last_tick_ns(process);
    bool has_begun = false;
    while (next_row(&in, end, &time_ns, &by)) {
        if (time_ns < since_ns) {
            before = add_totals(before, by);
            continue;
        }
        if (!has_begun && since_ns != 0)
            stream_row(process, writer, since_ns,
                       is_level(counter) ? before : (struct counter_total){ 0 });
        has_begun = true;
        stream_row(process, writer, time_ns, by);
    }
    if (in == NULL)
        failure_latch_set(process->latch, -EBADMSG);
    if (!has_begun && since_ns != 0)
        stream_row(process, writer, since_ns,
                   is_level(counter) ? before : (struct counter_total){ 0 });
    /* It stood still from the last row on. */
    if (time_ns < last_ns && last_ns > since_ns)
        stream_row(process, writer, last_ns, (struct counter_total){ 0 });
}

static void stream_string(struct json_writer *writer, const char *name, struct arena_string string)
{
    json_name(writer, name);
    json_string_bytes(writer, string.bytes, string.length);
}

static void stream_name(const struct counter_context *counter, struct json_writer *writer)
{
    static const char unnamed[] = "Counter";
    struct arena_string name = counter->name;
    if (name.length == 0)
        name = (struct arena_string){ unnamed, sizeof(unnamed) - 1 };
    stream_string(writer, "name", name);
}

static void stream_counter(const struct process_context *process,
                           const struct counter_context *counter, struct json_writer *writer)
{
    static const char *const columns[] = { "time", "count", "number", NULL };
    json_start_object(writer);
    stream_name(counter, writer);
    stream_string(writer, "category", counter->category);
    stream_string(writer, "description", counter->description);
    json_name(writer, "samples");
    gecko_start_table(writer, columns);
    stream_rows(process, counter, writer);
    gecko_end_table(writer);
    json_end_object(writer);
}

void counters_stream(const struct process_context *process, struct json_writer *writer)
{
    if (process->counters.count == 0)
        return;
    json_start_array_property(writer, "counters");
    for (uint32_t i = 0; i < process->counters.count; i++) {
        const struct counter_context *counter = find_counter(process, i);
        if (counter != NULL && counter->has_rows)
            stream_counter(process, counter, writer);
    }
    json_end_array(writer);
}

void counters_fini(struct process_context *process)
{
    struct counter_context *counters = process->counters.items;
    for (size_t i = 0; i < process->counters.count; i++)
        mapped_array_free(&counters[i].rows);
    mapped_array_free(&process->counters);
}
