#include "profctl/clickhouse/clickhouse_schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/clickhouse/clickhouse_tables.h"

enum {
    VALUE_BYTES = 64,
    TTL_FIRST_VERSION = 19 * 1000 + 6,
    PARTITIONS_BYTES = 16 * 1024,
    MONTH_DAYS = 31
};

/* --- What is inserted --- */

static const struct {
    const char *name, *columns;
} inserted[CLICKHOUSE_TABLES] = {
    [CLICKHOUSE_STACKS] = { "stacks", "stack, day, frames, module.name, module.build_id" },
    [CLICKHOUSE_SAMPLES] = { "samples",
                             "minute, service, host, program, version, build_id, kind, thread, "
                             "label.key, label.value, stack, cpu_ns, samples, allocated_bytes, "
                             "allocations, jank_ns, batch" },
    [CLICKHOUSE_HEALTH] = { "health",
                            "minute, host, exporter, covered_ms, cpu_ns, samples, rows, "
                            "new_stacks, export_cpu_ns, spooled_bytes, lost_rows, lost_batches, "
                            "torn_batches, folded_labels, lost_blocks, lost_ms, "
                            "left_out_labels, unnamed_addresses, unsure_batches, "
                            "clock_offset_s, missing" },
};

const char *clickhouse_table_columns(enum clickhouse_table table)
{
    return inserted[table].columns;
}

const char *clickhouse_table_name(enum clickhouse_table table)
{
    return inserted[table].name;
}

/* --- Statements --- */

bool clickhouse_schema_knows_ttl(const char *version)
{
    char *end;
    unsigned long major = strtoul(version, &end, 10);
    unsigned long minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;

    return major * 1000 + minor >= TTL_FIRST_VERSION;
}

unsigned clickhouse_schema_days(const struct clickhouse_url *url, enum table_life life)
{
    if (life == LIFE_OF_ALL)
        return url->days > url->hour_days ? url->days : url->hour_days;
    return life == LIFE_DAYS ? url->days : url->hour_days;
}

/* The same of a row. */
static unsigned ttl_days(const struct clickhouse_url *url, enum table_life life)
{
    return clickhouse_schema_days(url, life) + (life == LIFE_OF_ALL ? MONTH_DAYS : 0);
}

static void add_on_cluster(const struct clickhouse_url *url, struct sql_text *sql)
{
    if (url->cluster[0] != '\0')
        sql_text_add(sql, " ON CLUSTER %s", url->cluster);
}

/* The table that has the rows; on a cluster, of one server of it. */
static void put_table(const struct clickhouse_url *url, bool has_ttl,
                      const struct table_definition *table, struct sql_text *sql)
{
    bool is_cluster = url->cluster[0] != '\0';

    sql_text_add(sql, "CREATE TABLE IF NOT EXISTS %s.%s%s", url->database, table->name,
                 is_cluster ? "_local" : "");
    add_on_cluster(url, sql);
    sql_text_add(sql, " (%s) ENGINE = ", table->columns);
    if (is_cluster)
        sql_text_add(sql,
                     "Replicated%sMergeTree('/clickhouse/tables/{shard}/%s/%s', '{replica}'%s%s)",
                     table->engine, url->database, table->name,
                     table->arguments[0] != '\0' ? ", " : "", table->arguments);
    else
        sql_text_add(sql, "%sMergeTree(%s)", table->engine, table->arguments);
    sql_text_add(sql, " PARTITION BY %s ORDER BY (%s)", table->partition, table->order);
    if (has_ttl && table->life != LIFE_FOR_EVER)
        sql_text_add(sql, " TTL %s + INTERVAL %u DAY", table->time, ttl_days(url, table->life));
}

static void put_distributed(const struct clickhouse_url *url, const struct table_definition *table,
                            struct sql_text *sql)
{
    sql_text_add(sql, "CREATE TABLE IF NOT EXISTS %s.%s", url->database, table->name);
    add_on_cluster(url, sql);
    sql_text_add(sql, " AS %s.%s_local ENGINE = Distributed(%s, %s, %s_local, %s)", url->database,
                 table->name, url->cluster, url->database, table->name, table->sharding);
}

static void put_view(const struct clickhouse_url *url, const struct view_definition *view,
                     struct sql_text *sql)
{
    const char *ending = url->cluster[0] != '\0' ? "_local" : "";

    sql_text_add(sql, "CREATE MATERIALIZED VIEW IF NOT EXISTS %s.%s", url->database, view->name);
    add_on_cluster(url, sql);
    sql_text_add(sql, " TO %s.%s%s AS SELECT %s FROM %s.samples%s", url->database, view->target,
                 ending, view->columns, url->database, ending);
}

bool clickhouse_schema_statement(const struct clickhouse_url *url, bool has_ttl, unsigned index,
                                 struct sql_text *sql)
{
    unsigned tables = (unsigned)clickhouse_table_count;
    unsigned distributed = url->cluster[0] != '\0' ? tables : 0;

    sql_text_clear(sql);
    if (index == 0) {
        sql_text_add(sql, "CREATE DATABASE IF NOT EXISTS %s", url->database);
        add_on_cluster(url, sql);
    } else if (index <= tables) {
        put_table(url, has_ttl, &clickhouse_tables[index - 1], sql);
    } else if (index <= tables + distributed) {
        put_distributed(url, &clickhouse_tables[index - 1 - tables], sql);
    } else if (index <= tables + distributed + clickhouse_view_count) {
        put_view(url, &clickhouse_views[index - 1 - tables - distributed], sql);
    } else {
        return false;
    }
    return true;
}

static const struct table_definition *find_table(const char *name)
{
    const struct table_definition *table = clickhouse_tables;

    while (strcmp(table->name, name) != 0)
        table++;
    return table;
}

/* Columns that tables did not always have; the last of each table is marked. */
static const struct addition {
    const char *table, *local, *column;
    bool is_last;
} additions[] = {
    { "samples", "samples_local", "jank_ns", true },        /* since version 2 */
    { "health", "health_local", "left_out_labels", false }, /* since version 3 */
    { "health", "health_local", "unnamed_addresses", false },
    { "health", "health_local", "unsure_batches", true },
};

enum { ADDITIONS = sizeof(additions) / sizeof(additions[0]), CLUSTER_STEPS = 2 };

/* Servers of a cluster do not alter a distributed table, which has no rows: it is made again, in
 * the steps behind the last addition. */
static void put_addition(const struct clickhouse_url *url, const struct addition *addition,
                         unsigned step, struct schema_upgrade *out, struct sql_text *sql)
{
    bool is_local = url->cluster[0] != '\0' && step == 0;

    *out =
        (struct schema_upgrade){ is_local ? addition->local : addition->table, addition->column };
    if (step == 0) {
        sql_text_add(sql, "ALTER TABLE %s.%s", url->database, out->table);
        add_on_cluster(url, sql);
        sql_text_add(sql, " ADD COLUMN %s UInt64", addition->column);
    } else if (step == 1) {
        sql_text_add(sql, "DROP TABLE IF EXISTS %s.%s", url->database, out->table);
        add_on_cluster(url, sql);
    } else {
        put_distributed(url, find_table(addition->table), sql);
    }
}

bool clickhouse_schema_upgrade(const struct clickhouse_url *url, unsigned index,
                               struct schema_upgrade *out, struct sql_text *sql)
{
    unsigned more = url->cluster[0] != '\0' ? CLUSTER_STEPS : 0;

    sql_text_clear(sql);
    for (size_t i = 0; i < ADDITIONS; i++) {
        unsigned steps = 1 + (additions[i].is_last ? more : 0);
        if (index < steps) {
            put_addition(url, &additions[i], index, out, sql);
            return true;
        }
        index -= steps;
    }
    return false;
}

/* --- On the server --- */

struct schema_check {
    struct clickhouse *clickhouse;
    const struct clickhouse_url *url;
    struct sql_text sql;
    struct clickhouse_answer answer;
    char value[VALUE_BYTES]; /* the answer */
    struct failure *failure;
};

static bool refuse_schema(struct schema_check *check, const char *what)
{
    check->answer.http.outcome = HTTP_REFUSED;
    failure_set(check->failure, EXIT_CODE_FAILED, "%s", what);
    return false;
}

static bool ask_server(struct schema_check *check)
{
    if (check->sql.error < 0)
        return refuse_schema(check, "out of memory");
    clickhouse_ask(check->clickhouse, sql_text_get(&check->sql), NULL, &check->answer);
    if (check->answer.http.outcome != HTTP_DONE)
        failure_set(check->failure, EXIT_CODE_FAILED, "%s", check->answer.http.text);
    return check->answer.http.outcome == HTTP_DONE;
}

/* The one value that the server says to the statement, into the checking's. */
static bool ask_value(struct schema_check *check)
{
    if (check->sql.error < 0)
        return refuse_schema(check, "out of memory");
    clickhouse_ask_text(check->clickhouse, sql_text_get(&check->sql), NULL, check->value,
                        sizeof(check->value), &check->answer);
    if (check->answer.http.outcome != HTTP_DONE)
        failure_set(check->failure, EXIT_CODE_FAILED, "%s", check->answer.http.text);
    return check->answer.http.outcome == HTTP_DONE;
}

static bool has_cluster(struct schema_check *check)
{
    const char *cluster = check->url->cluster;
    char what[512];

    if (cluster[0] == '\0')
        return true;
    sql_text_clear(&check->sql);
    sql_text_add(&check->sql, "SELECT count() FROM system.clusters WHERE cluster = '%s'", cluster);
    if (!ask_value(check))
        return false;
    snprintf(what, sizeof(what),
             "%s has no cluster '%s'; see its remote_servers, or omit cluster=", check->url->host,
             cluster);
    return strcmp(check->value, "0") != 0 || refuse_schema(check, what);
}

static bool write_version(struct schema_check *check)
{
    sql_text_clear(&check->sql);
    sql_text_add(&check->sql, "INSERT INTO %s.profd_schema SELECT %d, now()", check->url->database,
                 CLICKHOUSE_SCHEMA_VERSION);
    return ask_server(check);
}

static bool create_tables(struct schema_check *check)
{
    bool has_ttl;

    sql_text_clear(&check->sql);
    sql_text_add(&check->sql, "SELECT version()");
    if (!ask_value(check))
        return false;
    has_ttl = clickhouse_schema_knows_ttl(check->value);
    for (unsigned i = 0; clickhouse_schema_statement(check->url, has_ttl, i, &check->sql); i++)
        if (!ask_server(check))
            return false;
    return write_version(check);
}

/* Whether the table has the column already, as when this was cut off: *HAS_IT. */
static bool look_for_column(struct schema_check *check, const struct schema_upgrade *upgrade,
                            bool *has_it)
{
    sql_text_clear(&check->sql);
    sql_text_add(&check->sql,
                 "SELECT count() FROM system.columns WHERE database = '%s' AND table = '%s' AND "
                 "name = '%s'",
                 check->url->database, upgrade->table, upgrade->column);
    if (!ask_value(check))
        return false;
    *has_it = strcmp(check->value, "0") != 0;
    return true;
}

static bool upgrade_tables(struct schema_check *check)
{
    struct schema_upgrade upgrade;
    bool has_it;

    for (unsigned i = 0; clickhouse_schema_upgrade(check->url, i, &upgrade, &check->sql); i++) {
        if (!look_for_column(check, &upgrade, &has_it))
            return false;
        if (has_it)
            continue;
        clickhouse_schema_upgrade(check->url, i, &upgrade, &check->sql);
        if (!ask_server(check))
            return false;
    }
    return write_version(check);
}

/* Whether there are tables of ours: *IS_THERE. */
static bool look_for_tables(struct schema_check *check, bool *is_there)
{
    sql_text_clear(&check->sql);
    sql_text_add(&check->sql,
                 "SELECT count() FROM system.tables WHERE database = '%s' AND name = "
                 "'profd_schema'",
                 check->url->database);
    if (!ask_value(check))
        return false;
    *is_there = strcmp(check->value, "0") != 0;
    return true;
}

/* The highest version of a table that may be empty: 0 then, as of tables half made. */
static bool read_version(struct schema_check *check, unsigned long *version)
{
    sql_text_clear(&check->sql);
    sql_text_add(&check->sql, "SELECT max(version) FROM %s.profd_schema", check->url->database);
    if (!ask_value(check))
        return false;
    *version = strtoul(check->value, NULL, 10);
    return true;
}

static bool check_tables(struct schema_check *check, bool may_create)
{
    char what[512];
    unsigned long version = 0;
    bool is_there;

    if (!has_cluster(check) || !look_for_tables(check, &is_there) ||
        (is_there && !read_version(check, &version)))
        return false;
    if (version < CLICKHOUSE_SCHEMA_VERSION && may_create)
        return version == 0 ? create_tables(check) : upgrade_tables(check);
    snprintf(what, sizeof(what), "database %s has no tables of profd; profctl export creates them",
             check->url->database);
    if (version == 0)
        return refuse_schema(check, what);
    snprintf(what, sizeof(what),
             "the tables in %s have schema %lu, but this profctl writes schema %d; %s",
             check->url->database, version, CLICKHOUSE_SCHEMA_VERSION,
             version > CLICKHOUSE_SCHEMA_VERSION ? "install a newer profctl here"
                                                 : "profctl export brings them up to date");
    return version == CLICKHOUSE_SCHEMA_VERSION || refuse_schema(check, what);
}

bool clickhouse_schema_check(struct clickhouse *clickhouse, bool may_create,
                             enum http_outcome *outcome, struct failure *failure)
{
    struct schema_check check = { .clickhouse = clickhouse,
                                  .url = clickhouse_get_url(clickhouse),
                                  .failure = failure };
    bool is_right = check_tables(&check, may_create);

    *outcome = check.answer.http.outcome;
    sql_text_free(&check.sql);
    return is_right;
}
