#include "profctl/report/counter_report.h"

#include <errno.h>
#include <string.h>

#include "common/time_units.h"
#include "profctl/profile/profile_walk.h"
#include "profctl/report/report_output.h"
#include "profctl/units.h"

/* --- Reading --- */

static uint32_t number_name(struct counter_report *report, const char *name)
{
    return name != NULL ? unique_strings_add(&report->names, name, strlen(name)) : UNIQUE_NONE;
}

static struct counter_row *find_row(struct counter_report *report, uint32_t name, uint32_t category)
{
    struct counter_row *rows = report->rows.items;

    for (size_t i = 0; i < report->rows.count; i++) {
        if (rows[i].name == name && rows[i].category == category)
            return &rows[i];
    }
    struct counter_row *row = mapped_array_push(&report->rows, sizeof(*row));
    if (row != NULL)
        *row = (struct counter_row){ .name = name, .category = category };
    return row;
}

static void add_counter(struct counter_row *row, const struct profile_counter *counter)
{
    const struct counter_sample *samples = counter->samples.items;
    size_t count = counter->samples.count;
    double sum = 0, changes = 0;

    for (size_t i = 0; i < count; i++) {
        sum += samples[i].count;
        changes += samples[i].number;
        if ((i == 0 && row->counters == 0) || sum > row->highest)
            row->highest = sum;
    }
    if (count > 0 && (row->counters == 0 || samples[0].time_ms < row->first_ms))
        row->first_ms = samples[0].time_ms;
    if (count > 0 && (row->counters == 0 || samples[count - 1].time_ms > row->last_ms))
        row->last_ms = samples[count - 1].time_ms;
    row->counters++;
    row->sum += sum;
    row->changes += changes > 0 ? (uint64_t)changes : count;
}

static int on_counter(void *owner, const struct profile_counter *counter)
{
    struct counter_report *report = owner;
    uint32_t name = number_name(report, counter->name != NULL ? counter->name : "(unnamed)");
    uint32_t category = number_name(report, counter->category);
    struct counter_row *row = find_row(report, name, category);

    if (row == NULL)
        return -ENOMEM;
    add_counter(row, counter);
    return failure_latch_error(&report->latch);
}

static int on_thread(void *owner, const struct profile_thread *thread)
{
    (void)owner;
    (void)thread;
    return 0;
}

static bool is_before(const void *left, const void *right)
{
    const struct counter_row *a = left, *b = right;

    return a->category != b->category ? a->category < b->category : a->name < b->name;
}

int counter_report_read(struct json_reader *reader, struct counter_report *out)
{
    static const struct profile_walk_events events = { .on_thread = on_thread,
                                                       .on_counter = on_counter };
    struct profile_facts facts;

    *out = (struct counter_report){ 0 };
    failure_latch_init(&out->latch);
    unique_strings_init(&out->names, &out->latch);
    int error = profile_walk(reader, &events, out, &facts);
    if (error == 0)
        mapped_array_sort(&out->rows, sizeof(struct counter_row), is_before);
    return error;
}

void counter_report_free(struct counter_report *report)
{
    unique_strings_fini(&report->names);
    mapped_array_free(&report->rows);
}

/* --- Text --- */

/* In which a counter changed by its sum on average; 0: it was seen only once. */
static double per_second(const struct counter_row *row)
{
    double seconds = (row->last_ms - row->first_ms) / MS_PER_S;

    return seconds > 0 ? row->sum / seconds : 0;
}

static void print_row(const struct counter_report *report, const struct counter_row *row, FILE *out)
{
    char changes[UNITS_TEXT_BYTES];

    fprintf(out, "%12llu%12s%16.6g%16.6g%16.6g  ", (unsigned long long)row->counters,
            units_format_count(row->changes, changes), row->sum, per_second(row), row->highest);
    report_put_name(&report->names, row->name, out);
    if (row->category != UNIQUE_NONE) {
        fputs(" (", out);
        report_put_name(&report->names, row->category, out);
        putc(')', out);
    }
    putc('\n', out);
}

void counter_report_print_text(const struct counter_report *report, const char *file, FILE *out)
{
    const struct counter_row *rows = report->rows.items;

    fprintf(out, "%s: %zu counter%s\n\n", file, report->rows.count,
            report->rows.count == 1 ? "" : "s");
    fputs("   processes     changes             sum      per second         highest  counter\n",
          out);
    for (size_t i = 0; i < report->rows.count; i++)
        print_row(report, &rows[i], out);
}

/* --- JSON --- */

static void put_row(struct json_writer *json, const struct counter_report *report,
                    const struct counter_row *row)
{
    json_start_object(json);
    report_json_name(json, "name", &report->names, row->name);
    report_json_name(json, "category", &report->names, row->category);
    json_u64_property(json, "processes", row->counters);
    json_u64_property(json, "changes", row->changes);
    json_double_property(json, "sum", row->sum);
    json_double_property(json, "perSecond", per_second(row));
    json_double_property(json, "highest", row->highest);
    json_end_object(json);
}

int counter_report_print_json(const struct counter_report *report, const char *file, FILE *out)
{
    const struct counter_row *rows = report->rows.items;
    struct report_json json;
    struct json_writer *writer = &json.writer;

    report_json_begin(&json, out);
    json_string_property(writer, "file", file);
    json_string_property(writer, "by", "counter");
    json_u64_property(writer, "count", report->rows.count);
    json_start_array_property(writer, "rows");
    for (size_t i = 0; i < report->rows.count; i++)
        put_row(writer, report, &rows[i]);
    json_end_array(writer);
    return report_json_end(&json, out);
}
