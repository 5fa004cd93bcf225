/* The tables in ClickHouse: their names, checked or made.
 *
 *     profd_schema   the version of all this
 *     samples        a row for each minute, host, labels, program, thread and stack
 *     hours          their sums by hour, over all hosts, and …
 *     sources        … what those are of: programs, labels, threads; both filled by views
 *     stacks         each stack once a month, by its hash
 *     health         a row for each minute and exporter: what it did, and what was lost
 *
 * Jank is told by minute alone: "samples" has had it since version 2 of the tables. What health
 * tells of labels, addresses and unsure batches came with version 3.
 *
 * On a cluster each is a Distributed table over NAME_local, which is replicated. One thread. */
#ifndef PROFD_PROFCTL_CLICKHOUSE_SCHEMA_H
#define PROFD_PROFCTL_CLICKHOUSE_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "profctl/clickhouse/clickhouse.h"
#include "profctl/clickhouse/clickhouse_tables.h"
#include "profctl/clickhouse/sql_text.h"

enum { CLICKHOUSE_SCHEMA_VERSION = 3 };

enum clickhouse_table {
    CLICKHOUSE_STACKS, /* before the samples that name them */
    CLICKHOUSE_SAMPLES,
    CLICKHOUSE_HEALTH,
    CLICKHOUSE_TABLES,
};

/* The columns of a table's rows, in the order in which they are inserted; and its name. */
const char *clickhouse_table_columns(enum clickhouse_table table);
const char *clickhouse_table_name(enum clickhouse_table table);

/* Makes the database and tables that are not there, and adds to older ones what they lack, where
 * MAY_CREATE; checks the version of those that are. *OUTCOME tells whether it is of use to try
 * again: HTTP_REFUSED for tables of another version, and what else nobody will mend by waiting.
 * False with FAILURE filled. */
bool clickhouse_schema_check(struct clickhouse *clickhouse, bool may_create,
                             enum http_outcome *outcome, struct failure *failure);

/* --- Pure parts --- */

/* Whether a server of VERSION ("18.16.1") drops rows by itself (TTL: from 19.6 on). */
bool clickhouse_schema_knows_ttl(const char *version);

/* For how many days a partition is needed after its last one, as rows are, or what refers to them.
 */
unsigned clickhouse_schema_days(const struct clickhouse_url *url, enum table_life life);

/* The statement number INDEX, from 0 on, that makes the tables. False: there are no more. */
bool clickhouse_schema_statement(const struct clickhouse_url *url, bool has_ttl, unsigned index,
                                 struct sql_text *sql);

/* A statement of an upgrade is left out where TABLE has COLUMN. Constant strings. */
struct schema_upgrade {
    const char *table, *column;
};

/* The same for what older tables lack, with when it is lacking in *OUT. */
bool clickhouse_schema_upgrade(const struct clickhouse_url *url, unsigned index,
                               struct schema_upgrade *out, struct sql_text *sql);

#endif
