/* ClickHouse as the target of an export: rows of three tables, with each stack once a month. One
 * thread. */
#ifndef PROFD_PROFCTL_CLICKHOUSE_TARGET_H
#define PROFD_PROFCTL_CLICKHOUSE_TARGET_H

#include "profctl/clickhouse/clickhouse.h"
#include "profctl/export/export_target.h"
#include "profctl/export/known_stacks.h"
#include "profctl/export/view_repair.h"

/* Initialised by clickhouse_target_init(). */
struct clickhouse_target {
    struct clickhouse *clickhouse; /* borrowed */
    const char *host;              /* host name in the rows; borrowed */
    struct known_stacks known;
    struct view_repair repair; /* of the last batch sent */
    uint64_t lost_rows;        /* of batches of which the server has the others */
};

void clickhouse_target_init(struct clickhouse_target *target, struct clickhouse *clickhouse,
                            const char *host);
void clickhouse_target_fini(struct clickhouse_target *target);

/* Returns the function table of TARGET, which is its owner. */
struct export_target clickhouse_target_table(struct clickhouse_target *target);

#endif
