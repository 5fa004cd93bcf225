/* The definitions of the tables (clickhouse_schema.h), as data. */
#ifndef PROFD_PROFCTL_CLICKHOUSE_TABLES_H
#define PROFD_PROFCTL_CLICKHOUSE_TABLES_H

#include <stdbool.h>
#include <stddef.h>

/* How long rows are kept. Those of LIFE_OF_ALL are sent once a month, and other tables' rows of the
 * whole month refer to them, which they outlive. */
enum table_life { LIFE_FOR_EVER, LIFE_DAYS, LIFE_HOUR_DAYS, LIFE_OF_ALL };

struct table_definition {
    const char *name;
    const char *columns;   /* and their types */
    const char *engine;    /* without "MergeTree" and "Replicated" before it … */
    const char *arguments; /* … and its own arguments */
    const char *partition, *order;
    const char *sharding; /* an expression: the shard of a row on a cluster */
    const char *time;     /* a DateTime or Date, by which rows grow old */
    enum table_life life;
};

extern const struct table_definition clickhouse_tables[];
extern const size_t clickhouse_table_count;

/* Materialized views, which fill other tables from "samples"; by their names, as a server has them.
 */
struct view_definition {
    const char *name, *target;
    const char *columns; /* of the SELECT */
    bool has_sums;       /* so that rows made twice count twice */
};

extern const struct view_definition clickhouse_views[];
extern const size_t clickhouse_view_count;

#endif
