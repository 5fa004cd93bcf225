#include "profctl/clickhouse/clickhouse_tables.h"

#define SOURCE_COLUMNS                                                                             \
    "program String, version String, build_id String, kind String, thread String, "                \
    "label Nested(key String, value String)"
#define SUM_COLUMNS "cpu_ns Int64, samples UInt64, allocated_bytes UInt64, allocations UInt64"

const struct table_definition clickhouse_tables[] = {
    {
        .name = "samples",
        .columns = "service String, minute DateTime, host String, " SOURCE_COLUMNS
                   ", stack FixedString(16), " SUM_COLUMNS ", batch UInt64, jank_ns UInt64",
        .engine = "",
        .arguments = "",
        .partition = "toYYYYMMDD(minute)",
        .order = "service, minute, host, stack",
        .sharding = "cityHash64(host)",
        .time = "minute",
        .life = LIFE_DAYS,
    },
    {
        .name = "hours",
        .columns =
            "service String, hour DateTime, source UInt64, stack FixedString(16), " SUM_COLUMNS,
        .engine = "Summing",
        .arguments = "(cpu_ns, samples, allocated_bytes, allocations)",
        .partition = "toYYYYMM(hour)",
        .order = "service, hour, source, stack",
        .sharding = "cityHash64(stack)",
        .time = "hour",
        .life = LIFE_HOUR_DAYS,
    },
    {
        .name = "sources",
        .columns = "service String, month Date, source UInt64, " SOURCE_COLUMNS,
        .engine = "Replacing",
        .arguments = "",
        .partition = "toYYYYMM(month)",
        .order = "service, source",
        .sharding = "source",
        .time = "month",
        .life = LIFE_OF_ALL,
    },
    {
        .name = "stacks",
        .columns = "stack FixedString(16), day Date, frames Array(String), "
                   "module Nested(name String, build_id String)",
        .engine = "Replacing",
        .arguments = "",
        .partition = "toYYYYMM(day)",
        .order = "stack",
        .sharding = "cityHash64(stack)",
        .time = "day",
        .life = LIFE_OF_ALL,
    },
    {
        .name = "health",
        .columns = "minute DateTime, host String, exporter UInt64, covered_ms UInt64, "
                   "cpu_ns Int64, samples UInt64, rows UInt64, new_stacks UInt64, "
                   "export_cpu_ns UInt64, spooled_bytes UInt64, lost_rows UInt64, "
                   "lost_batches UInt64, torn_batches UInt64, folded_labels UInt64, "
                   "lost_blocks UInt64, lost_ms UInt64, clock_offset_s Int64, missing String, "
                   "left_out_labels UInt64, unnamed_addresses UInt64, unsure_batches UInt64",
        .engine = "Replacing",
        .arguments = "",
        .partition = "toYYYYMMDD(minute)",
        .order = "host, minute, exporter, covered_ms, cpu_ns, rows",
        .sharding = "cityHash64(host)",
        .time = "minute",
        .life = LIFE_DAYS,
    },
    {
        .name = "profd_schema",
        .columns = "version UInt32, made DateTime",
        .engine = "",
        .arguments = "",
        .partition = "tuple()",
        .order = "version",
        .sharding = "0",
        .time = "made",
        .life = LIFE_FOR_EVER,
    },
};

const size_t clickhouse_table_count = sizeof(clickhouse_tables) / sizeof(clickhouse_tables[0]);

/* What a row is about, but for its host, as one number: the columns themselves at each hour and
 * stack would cost more than all else when parts are merged. */
#define SOURCE "cityHash64(program, version, build_id, kind, thread, label.key, label.value)"

/* Of UTC, as queries ask for them: toStartOfHour() is of the server's time zone, which may be off
 * by a half hour. */
#define HOUR "toDateTime(intDiv(toUInt32(minute), 3600) * 3600)"

const struct view_definition clickhouse_views[] = {
    { "samples_to_hours", "hours",
      "service, " HOUR " AS hour, " SOURCE " AS source, stack, cpu_ns, samples, "
      "allocated_bytes, allocations",
      true },
    { "samples_to_sources", "sources",
      "DISTINCT service, toStartOfMonth(minute) AS month, " SOURCE " AS source, program, version, "
      "build_id, kind, thread, label.key, label.value",
      false },
};

const size_t clickhouse_view_count = sizeof(clickhouse_views) / sizeof(clickhouse_views[0]);
