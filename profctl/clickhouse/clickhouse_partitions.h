/* Removes old partitions of the tables. One thread. */
#ifndef PROFD_PROFCTL_CLICKHOUSE_PARTITIONS_H
#define PROFD_PROFCTL_CLICKHOUSE_PARTITIONS_H

#include "profctl/clickhouse/clickhouse.h"
#include "profctl/clickhouse/clickhouse_tables.h"
#include "profctl/clickhouse/sql_text.h"

/* Drops partitions that are older than the URL allows, on all servers of its cluster, if the server
 * has no TTL. Returns 0, or -EIO with the reason in PROBLEM. */
int clickhouse_partitions_drop_old(struct clickhouse *clickhouse, char problem[HTTP_TEXT_BYTES]);

/* --- Pure parts --- */

/* Append the query for TABLE's partitions that are too old, and the statement that drops PARTITION,
 * one of those in the answer. */
void clickhouse_partitions_put_question(const struct clickhouse_url *url,
                                        const struct table_definition *table, struct sql_text *sql);
void clickhouse_partitions_put_drop(const struct clickhouse_url *url,
                                    const struct table_definition *table, const char *partition,
                                    struct sql_text *sql);

#endif
