/* The tables in ClickHouse: checks and creates them.
 *
 *     profd_schema   the version of the schema
 *     samples        one row per minute, host, labels, program, thread and stack
 *     hours          sums of samples by hour, over all hosts, and …
 *     sources        … their programs, labels and threads; both are filled by views
 *     stacks         each stack once a month, by its hash
 *     health         one row per minute and exporter: what it did, and what was lost
 *
 * Jank is stored by minute only: "samples" has had it since version 2 of the schema. The columns of
 * "health" for labels, addresses and unsure batches came with version 3.
 *
 * On a cluster, each is a Distributed table over the replicated table NAME_local. One thread. */
#ifndef PROFD_PROFCTL_CLICKHOUSE_SCHEMA_H
#define PROFD_PROFCTL_CLICKHOUSE_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "profctl/clickhouse/clickhouse.h"
#include "profctl/clickhouse/clickhouse_tables.h"
#include "profctl/clickhouse/sql_text.h"

enum { CLICKHOUSE_SCHEMA_VERSION = 3 };

enum clickhouse_table {
    CLICKHOUSE_STACKS, /* before the samples that refer to them */
    CLICKHOUSE_SAMPLES,
    CLICKHOUSE_HEALTH,
    CLICKHOUSE_TABLES,
};

/* Return the columns of a table's rows, in the order in which they are inserted, and its name. */
const char *clickhouse_table_columns(enum clickhouse_table table);
const char *clickhouse_table_name(enum clickhouse_table table);

/* Checks the version of the tables. If MAY_CREATE, creates the database and tables if they are
 * missing, and adds what older tables lack. *OUTCOME tells whether it is of use to try again:
 * HTTP_REFUSED for tables of another version, and for other errors that do not pass by waiting.
 * Returns false with FAILURE filled. */
bool clickhouse_schema_check(struct clickhouse *clickhouse, bool may_create,
                             enum http_outcome *outcome, struct failure *failure);

/* --- Pure parts --- */

/* Returns whether a server of VERSION ("18.16.1") can drop rows by itself (TTL, since 19.6). */
bool clickhouse_schema_knows_ttl(const char *version);

/* Returns for how many days after its last day a partition is still needed, given the LIFE of its
 * rows or of the rows that refer to them. */
unsigned clickhouse_schema_days(const struct clickhouse_url *url, enum table_life life);

/* Appends statement INDEX, counted from 0, of those that create the tables. Returns false if there
 * are no more. */
bool clickhouse_schema_statement(const struct clickhouse_url *url, bool has_ttl, unsigned index,
                                 struct sql_text *sql);

/* An upgrade statement is skipped if TABLE already has COLUMN. Constant strings. */
struct schema_upgrade {
    const char *table, *column;
};

/* Like clickhouse_schema_statement(), for the statements that add what older tables lack. *OUT
 * tells when a statement is needed. */
bool clickhouse_schema_upgrade(const struct clickhouse_url *url, unsigned index,
                               struct schema_upgrade *out, struct sql_text *sql);

#endif
