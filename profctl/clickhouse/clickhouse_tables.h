/* The definitions of the tables (clickhouse_schema.h), as data. */
#ifndef PROFD_PROFCTL_CLICKHOUSE_TABLES_H
#define PROFD_PROFCTL_CLICKHOUSE_TABLES_H

#include <stdbool.h>
#include <stddef.h>

/* How long rows are kept. Rows of LIFE_OF_ALL are sent once a month; rows of other tables in the
 * whole month refer to them, so they must be kept longer than those. */
enum table_life { LIFE_FOR_EVER, LIFE_DAYS, LIFE_HOUR_DAYS, LIFE_OF_ALL };

struct table_definition {
    const char *name;
    const char *columns;   /* with their types */
    const char *engine;    /* the part before "MergeTree", without "Replicated" … */
    const char *arguments; /* … and its arguments */
    const char *partition, *order;
    const char *sharding; /* an expression that gives the shard of a row on a cluster */
    const char *time;     /* the DateTime or Date column that the age of a row is measured by */
    enum table_life life;
};

extern const struct table_definition clickhouse_tables[];
extern const size_t clickhouse_table_count;

/* Materialized views, which fill other tables from "samples", by the names that they have on the
 * server. */
struct view_definition {
    const char *name, *target;
    const char *columns; /* of the SELECT */
    bool has_sums;       /* rows that are made twice count twice */
};

extern const struct view_definition clickhouse_views[];
extern const size_t clickhouse_view_count;

#endif
