/* What the sampler itself took: from its entries to rows while the chunks are read, from rows to
 * JSON and statistics afterwards.
 *
 * A row is five LEB128 numbers: ticks since the previous row's, then ns of each part. The viewer
 * takes durations for microseconds. */
#include <errno.h>

#include "buffer/leb128.h"
#include "common/time_units.h"
#include "json/gecko/gecko_context.h"
#include "json/gecko/gecko_schema.h"

enum { ROW_MAX_BYTES = 5 * LEB128_MAX_BYTES };

void overhead_take(struct process_context *process, const struct overhead_row *row)
{
    struct overhead_context *overhead = &process->overhead;
    struct mapped_array *rows = &overhead->rows;
    if (process->ticks.count == 0) {
        process->bad_entries++;
        return;
    }
    int error = mapped_array_reserve(rows, rows->count + ROW_MAX_BYTES, 1);
    if (error < 0) {
        failure_latch_set(process->latch, error);
        return;
    }
    uint32_t tick = (uint32_t)process->ticks.count - 1;
    uint8_t *start = rows->items;
    uint8_t *out = leb128_write(start + rows->count, tick - overhead->last_tick);
    out = leb128_write(out, row->locking_ns);
    out = leb128_write(out, row->cleaning_ns);
    out = leb128_write(out, row->counters_ns);
    out = leb128_write(out, row->threads_ns);
    rows->count = (size_t)(out - start);
    overhead->last_tick = tick;
}

/* Reads the next row, which overhead_take wrote; *TICK is that of the previous one. False at the
 * end; *IN is then NULL if the rows are not what was written. */
static bool next_row(const uint8_t **in, const uint8_t *end, uint32_t *tick,
                     struct overhead_row *row)
{
    uint64_t later = 0;
    uint64_t *numbers[] = { &later, &row->locking_ns, &row->cleaning_ns, &row->counters_ns,
                            &row->threads_ns };
    if (*in == end)
        return false;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]) && *in != NULL; i++)
        *in = leb128_read(*in, end, numbers[i]);
    *tick += (uint32_t)later;
    return *in != NULL;
}

struct statistic {
    uint64_t count;
    double sum, least, most;
};

static void count_value(struct statistic *statistic, double value)
{
    if (statistic->count == 0 || value < statistic->least)
        statistic->least = value;
    if (statistic->count == 0 || value > statistic->most)
        statistic->most = value;
    statistic->sum += value;
    statistic->count++;
}

struct statistics {
    struct statistic interval, overhead, locking, cleaning, counters, threads;
    uint64_t first_ns, last_ns;
};

/* Intervals are those of ticks, also of ticks that the sampler slept through because nobody ran. A
 * second row of the first tick, in a damaged arena, has none. */
static void count_row(const struct process_context *process, struct statistics *statistics,
                      uint32_t tick, const struct overhead_row *row)
{
    const uint64_t *times = process->ticks.items;
    uint64_t sum_ns = row->locking_ns + row->cleaning_ns + row->counters_ns + row->threads_ns;
    if (statistics->overhead.count == 0)
        statistics->first_ns = times[tick];
    else if (tick > 0)
        count_value(&statistics->interval, (double)(times[tick] - times[tick - 1]) / NS_PER_US);
    statistics->last_ns = times[tick];
    count_value(&statistics->overhead, (double)sum_ns / NS_PER_US);
    count_value(&statistics->locking, (double)row->locking_ns / NS_PER_US);
    count_value(&statistics->cleaning, (double)row->cleaning_ns / NS_PER_US);
    count_value(&statistics->counters, (double)row->counters_ns / NS_PER_US);
    count_value(&statistics->threads, (double)row->threads_ns / NS_PER_US);
}

static void stream_row(const struct process_context *process, struct json_writer *writer,
                       uint32_t tick, const struct overhead_row *row)
{
    const uint64_t *times = process->ticks.items;
    json_start_array(writer);
    json_time_ms(writer, process_relative_ns(process, times[tick]));
    json_double(writer, (double)row->locking_ns / NS_PER_US);
    json_double(writer, (double)row->cleaning_ns / NS_PER_US);
    json_double(writer, (double)row->counters_ns / NS_PER_US);
    json_double(writer, (double)row->threads_ns / NS_PER_US);
    json_end_array(writer);
}

static void stream_samples(const struct process_context *process, struct json_writer *writer,
                           struct statistics *statistics)
{
    static const char *const columns[] = { "time",     "locking", "expiredMarkerCleaning",
                                           "counters", "threads", NULL };
    const uint64_t *times = process->ticks.items;
    const uint8_t *in = process->overhead.rows.items;
    const uint8_t *end = in + process->overhead.rows.count;
    struct overhead_row row;
    uint32_t tick = 0;
    json_name(writer, "samples");
    gecko_start_table(writer, columns);
    while (next_row(&in, end, &tick, &row)) {
        if (times[tick] < process->options.since_ns)
            continue;
        stream_row(process, writer, tick, &row);
        count_row(process, statistics, tick, &row);
    }
    if (in == NULL)
        failure_latch_set(process->latch, -EBADMSG);
    gecko_end_table(writer);
}

static void stream_statistic(struct json_writer *writer, const struct statistic *statistic,
                             const char *const names[3])
{
    double mean = statistic->count == 0 ? 0 : statistic->sum / (double)statistic->count;
    json_double_property(writer, names[0], statistic->most);
    json_double_property(writer, names[1], mean);
    json_double_property(writer, names[2], statistic->least);
}

static void stream_statistics(struct json_writer *writer, const struct statistics *statistics)
{
#define NAMES(what)                                                                                \
    (const char *const[])                                                                          \
    {                                                                                              \
        "max" what, "mean" what, "min" what                                                        \
    }
    double duration_us = (double)(statistics->last_ns - statistics->first_ns) / NS_PER_US;
    json_start_object_property(writer, "statistics");
    stream_statistic(writer, &statistics->cleaning, NAMES("Cleaning"));
    stream_statistic(writer, &statistics->counters, NAMES("Counter"));
    stream_statistic(writer, &statistics->interval, NAMES("Interval"));
    stream_statistic(writer, &statistics->locking, NAMES("Lockings"));
    stream_statistic(writer, &statistics->overhead, NAMES("Overhead"));
    stream_statistic(writer, &statistics->threads, NAMES("Thread"));
    json_double_property(writer, "overheadDurations", statistics->overhead.sum);
    json_double_property(writer, "overheadPercentage",
                         duration_us > 0 ? statistics->overhead.sum / duration_us : 0);
    json_double_property(writer, "profiledDuration", duration_us);
    json_u64_property(writer, "samplingCount", statistics->overhead.count);
    json_end_object(writer);
#undef NAMES
}

void overhead_stream(const struct process_context *process, struct json_writer *writer)
{
    struct statistics statistics = { 0 };
    if (process->overhead.rows.count == 0)
        return;
    json_start_object_property(writer, "profilerOverhead");
    stream_samples(process, writer, &statistics);
    if (statistics.overhead.count > 0)
        stream_statistics(writer, &statistics);
    json_end_object(writer);
}
