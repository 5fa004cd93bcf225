#include "profctl/groups/group_print.h"

#include <string.h>
#include <time.h>

#include "common/time_units.h"
#include "ipc/groups/group_order.h"
#include "json/gecko/gecko_process.h"
#include "json/json_writer.h"
#include "profctl/printable.h"
#include "profctl/report/report_output.h"
#include "profctl/units.h"

enum {
    NAME_BYTES = 2 * GROUP_TEXT_MAX_BYTES + 64,
    HANGS_NS = 100 * NS_PER_MS, /* people notice delays as long as this */
};

/* --- The bar --- */

/* Iterations in each of the bar's places. */
static void spread_iterations(const struct group_row *row, uint64_t counts[GROUP_THRESHOLDS + 1])
{
    uint64_t above = row->group.ticks;

    for (unsigned i = 0; i < GROUP_THRESHOLDS; i++) {
        uint64_t exceeded = row->group.cpu_exceeded[i];
        counts[i] = above > exceeded ? above - exceeded : 0;
        above = exceeded;
    }
    counts[GROUP_THRESHOLDS] = above;
}

/* One iteration is the lowest mark, and the highest is ten million: each is ten times as many. */
static const char *mark_of(uint64_t count)
{
    static const char *const marks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
    size_t level = 0;

    if (count == 0)
        return " ";
    for (; count >= 10 && level + 1 < sizeof(marks) / sizeof(marks[0]); level++)
        count /= 10;
    return marks[level];
}

const char *group_bar(const struct group_row *row, char out[GROUP_BAR_BYTES])
{
    uint64_t counts[GROUP_THRESHOLDS + 1];
    char *end = out;

    spread_iterations(row, counts);
    for (unsigned i = 0; i <= GROUP_THRESHOLDS; i++)
        end = stpcpy(end, mark_of(counts[i]));
    return out;
}

/* --- The table --- */

static const char *end_of(const struct group_snapshot_process *process, char out[UNITS_TEXT_BYTES])
{
    if (process->end_ns == 0 || process->verdict >= (unsigned)VERDICT_COUNT)
        return "";
    const char *verdict = process_verdict_name((enum process_verdict)process->verdict);
    if (process->verdict == VERDICT_EXITED || process->verdict == VERDICT_KILLED)
        snprintf(out, UNITS_TEXT_BYTES, ", %s %d", verdict, process->code);
    else
        snprintf(out, UNITS_TEXT_BYTES, ", %s", verdict);
    return out;
}

static void name_row(const struct group_row *row, enum group_rows_by by, char out[NAME_BYTES])
{
    const struct group_view *group = &row->group;
    char end[UNITS_TEXT_BYTES];

    if (by == GROUP_ROWS_BY_GROUP)
        snprintf(out, NAME_BYTES, "%.*s %.*s", (int)group->kind_bytes, group->kind,
                 (int)group->name_bytes, group->name);
    else if (by == GROUP_ROWS_BY_PROCESS)
        snprintf(out, NAME_BYTES, "%.*s (%d%s)", (int)row->process_name_bytes, row->process_name,
                 row->process->pid, end_of(row->process, end));
    else
        snprintf(out, NAME_BYTES, "%.*s %d of %.*s (%d%s)", (int)group->name_bytes, group->name,
                 group->thread, (int)row->process_name_bytes, row->process_name, row->process->pid,
                 end_of(row->process, end));
    make_printable(out);
}

static const char *format_longest(const struct group_row *row, char out[UNITS_TEXT_BYTES])
{
    unsigned exceeded = group_row_jank(row);

    if (exceeded == 0)
        snprintf(out, UNITS_TEXT_BYTES, "%s", row->group.ticks != 0 ? "<= 1" : "");
    else
        snprintf(out, UNITS_TEXT_BYTES, "> %u", 1U << (exceeded - 1));
    return out;
}

/* Something runs at any time; who looks at a table wants to know what hangs. */
static void print_running(const struct group_row *row, char separator, FILE *out)
{
    if (row->running_ns >= HANGS_NS)
        fprintf(out, "%c running for %.1f s", separator, (double)row->running_ns / NS_PER_S);
}

static void print_row(const struct group_row *row, enum group_rows_by by, FILE *out)
{
    char name[NAME_BYTES], bar[GROUP_BAR_BYTES], most[UNITS_TEXT_BYTES], ticks[UNITS_TEXT_BYTES];
    const struct group_costs *costs = &row->group.costs;

    name_row(row, by, name);
    fprintf(out, "%11.1f %11.1f %9.1f %11s %7s |%s| %s", (double)costs->cpu_ns / NS_PER_MS,
            (double)costs->wall_ns / NS_PER_MS, (double)costs->blocked_ns / NS_PER_MS,
            units_format_count(row->group.ticks, ticks), format_longest(row, most),
            group_bar(row, bar), name);
    print_running(row, ',', out);
    fputc('\n', out);
}

static void print_losses(const struct group_rows *rows, FILE *out)
{
    char count[UNITS_TEXT_BYTES];

    if (rows->folded != 0)
        fprintf(out, "%s groups did not fit and are counted as \"other\".\n",
                units_format_count(rows->folded, count));
    if (rows->cancelled != 0)
        fprintf(out, "%s measurements were cancelled: their units were never left.\n",
                units_format_count(rows->cancelled, count));
    if (rows->head.forgotten != 0)
        fprintf(out, "%s ended processes are no longer included: profd keeps 16 MB of them.\n",
                units_format_count(rows->head.forgotten, count));
}

void group_print_table(const struct group_rows *rows, enum group_rows_by by, uint64_t most,
                       uint64_t period_ns, FILE *out)
{
    static const char *const titles[] = { "group", "process", "thread" };

    if (period_ns != 0)
        fprintf(out, "In %.1f s", (double)period_ns / NS_PER_S);
    else
        fputs("Since monitoring began", out);
    fputs("; each column of |bar| is iterations by their CPU time: up to 1 ms, 2 ms … above 512.\n",
          out);
    fprintf(out, "     CPU ms     wall ms   blocked  iterations longest |<1  ms >512| %s\n",
            titles[by]);
    for (size_t i = 0; i < rows->count && i < most; i++)
        print_row(&rows->rows[i], by, out);
    if (rows->count > most)
        fprintf(out, "%zu more; --top shows more\n", rows->count - (size_t)most);
    print_losses(rows, out);
}

/* --- Alerts --- */

/* The highest of the while, or what is known of it by its threshold. */
static void print_highest(const struct group_row *row, FILE *out)
{
    const struct group_highest *highest = &row->highest;
    char most[UNITS_TEXT_BYTES];

    if (group_thresholds_exceeded(highest->cpu_ns) == group_row_jank(row))
        fprintf(out, "; highest %.1f ms of CPU time", (double)highest->cpu_ns / NS_PER_MS);
    else
        fprintf(out, "; highest %s ms of CPU time", format_longest(row, most));
    if (!highest->is_known)
        return;
    fprintf(out, ", %.1f on the wall, %.1f blocked", (double)highest->wall_ns / NS_PER_MS,
            (double)highest->blocked_ns / NS_PER_MS);
    if (highest->thread != 0)
        fprintf(out, "; thread %d", highest->thread);
}

void group_print_alert(const struct group_row *row, const char *rule_text, uint64_t times,
                       FILE *out)
{
    char name[NAME_BYTES], time_of_day[UNITS_TEXT_BYTES] = "";
    const time_t now = time(NULL);
    struct tm local;

    if (localtime_r(&now, &local) != NULL)
        strftime(time_of_day, sizeof(time_of_day), "%H:%M:%S", &local);
    name_row(row, GROUP_ROWS_BY_GROUP, name);
    fprintf(out, "%s %s", time_of_day, name);
    name_row(row, GROUP_ROWS_BY_PROCESS, name);
    fprintf(out, " of %s: %s, %llu %s", name, rule_text, (unsigned long long)times,
            times == 1 ? "time" : "times");
    if (row->group.ticks != 0)
        print_highest(row, out);
    print_running(row, ';', out);
    fputc('\n', out);
}

/* --- JSON --- */

static void put_counts(struct json_writer *json, const char *name, const uint64_t *counts)
{
    json_start_array_property(json, name);
    for (unsigned i = 0; i < GROUP_THRESHOLDS; i++)
        json_u64(json, counts[i]);
    json_end_array(json);
}

/* Sums of what processes say of themselves go up to the end of the numbers. */
static void put_ms(struct json_writer *json, const char *name, uint64_t ns)
{
    json_time_ms_property(json, name, ns < INT64_MAX ? (int64_t)ns : INT64_MAX);
}

static void put_process(struct json_writer *json, const struct group_row *row)
{
    const struct group_snapshot_process *process = row->process;

    json_i64_property(json, "pid", process->pid);
    json_name(json, "process");
    json_string_bytes(json, row->process_name, row->process_name_bytes);
    if (process->verdict < (unsigned)VERDICT_COUNT) {
        json_string_property(json, "verdict",
                             process_verdict_name((enum process_verdict)process->verdict));
        json_i64_property(json, "code", process->code);
    }
}

static void put_row(struct json_writer *json, const struct group_row *row, enum group_rows_by by)
{
    const struct group_view *group = &row->group;

    json_start_object(json);
    if (by != GROUP_ROWS_BY_PROCESS) {
        json_name(json, "kind");
        json_string_bytes(json, group->kind, group->kind_bytes);
        json_name(json, "name");
        json_string_bytes(json, group->name, group->name_bytes);
        json_u64_property(json, "id", group->id);
        json_bool_property(json, "system", (group->flags & GROUP_IS_SYSTEM) != 0);
        json_bool_property(json, "unit", (group->flags & GROUP_IS_UNIT) != 0);
    }
    if (by == GROUP_ROWS_BY_THREAD)
        json_i64_property(json, "thread", group->thread);
    if (by != GROUP_ROWS_BY_GROUP)
        put_process(json, row);
    json_u64_property(json, "merged", row->merged);
    json_u64_property(json, "ticks", group->ticks);
    put_ms(json, "cpuMs", group->costs.cpu_ns);
    put_ms(json, "wallMs", group->costs.wall_ns);
    put_ms(json, "blockedMs", group->costs.blocked_ns);
    put_ms(json, "unattributedMs", group->costs.unattributed_ns);
    put_ms(json, "runningMs", row->running_ns);
    put_counts(json, "cpuExceeded", group->cpu_exceeded);
    put_counts(json, "wallExceeded", group->wall_exceeded);
    json_end_object(json);
}

int group_print_alert_json(const struct group_row *row, const char *rule_text, uint64_t times,
                           FILE *out)
{
    struct report_json line;

    report_json_begin(&line, out);
    json_string_property(&line.writer, "alert", rule_text);
    json_u64_property(&line.writer, "times", times);
    if (row->highest.is_known) {
        put_ms(&line.writer, "highestCpuMs", row->highest.cpu_ns);
        put_ms(&line.writer, "highestWallMs", row->highest.wall_ns);
        put_ms(&line.writer, "highestBlockedMs", row->highest.blocked_ns);
        json_i64_property(&line.writer, "highestThread", row->highest.thread);
    }
    json_name(&line.writer, "group");
    put_row(&line.writer, row, GROUP_ROWS_BY_THREAD);
    return report_json_end(&line, out);
}

int group_print_json(const struct group_rows *rows, enum group_rows_by by, uint64_t period_ns,
                     FILE *out)
{
    struct report_json line;
    struct json_writer *json = &line.writer;

    report_json_begin(&line, out);
    put_ms(json, "periodMs", period_ns);
    json_u64_property(json, "processes", rows->head.processes);
    json_u64_property(json, "forgotten", rows->head.forgotten);
    json_u64_property(json, "unmeasured", rows->head.unmeasured);
    json_u64_property(json, "folded", rows->folded);
    json_u64_property(json, "cancelled", rows->cancelled);
    json_u64_property(json, "moved", rows->moved);
    json_start_array_property(json, "groups");
    for (size_t i = 0; i < rows->count; i++)
        put_row(json, &rows->rows[i], by);
    json_end_array(json);
    return report_json_end(&line, out);
}
