#include "profctl/clickhouse/clickhouse_partitions.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "profctl/clickhouse/clickhouse_schema.h"

enum { VERSION_BYTES = 64, PARTITIONS_BYTES = 16 * 1024 };

/* --- Statements --- */

static bool is_cluster(const struct clickhouse_url *url)
{
    return url->cluster[0] != '\0';
}

/* Partitions are compared as the numbers that they are: a whole one is older, or stays. Each shard
 * of a cluster has partitions of its own. */
void clickhouse_partitions_put_question(const struct clickhouse_url *url,
                                        const struct table_definition *table, struct sql_text *sql)
{
    bool is_by_month = strncmp(table->partition, "toYYYYMM(", 9) == 0;

    sql_text_add(sql, "SELECT DISTINCT partition FROM ");
    if (is_cluster(url))
        sql_text_add(sql, "cluster(%s, system, parts)", url->cluster);
    else
        sql_text_add(sql, "system.parts");
    sql_text_add(sql,
                 " WHERE active AND database = '%s' AND table = '%s%s' AND "
                 "toUInt32OrZero(partition) < %s(today() - %u)",
                 url->database, table->name, is_cluster(url) ? "_local" : "",
                 is_by_month ? "toYYYYMM" : "toYYYYMMDD", clickhouse_schema_days(url, table->life));
}

void clickhouse_partitions_put_drop(const struct clickhouse_url *url,
                                    const struct table_definition *table, const char *partition,
                                    struct sql_text *sql)
{
    sql_text_add(sql, "ALTER TABLE %s.%s", url->database, table->name);
    if (is_cluster(url))
        sql_text_add(sql, "_local ON CLUSTER %s", url->cluster);
    sql_text_add(sql, " DROP PARTITION %s", partition);
}

/* --- On the server --- */

static int tell_problem(const struct clickhouse_answer *answer, char *problem)
{
    snprintf(problem, HTTP_TEXT_BYTES, "%s", answer->http.text);
    return answer->http.outcome == HTTP_DONE ? 0 : -EIO;
}

/* LIST has a partition, a number, on each line. */
static int drop_partitions(struct clickhouse *clickhouse, const struct table_definition *table,
                           char *list, char *problem)
{
    struct clickhouse_answer answer;
    struct sql_text sql = { 0 };
    int error = 0;

    for (char *next = list, *line; error == 0 && (line = strsep(&next, "\n")) != NULL;) {
        if (line[0] == '\0' || line[strspn(line, "0123456789")] != '\0')
            continue;
        sql_text_clear(&sql);
        clickhouse_partitions_put_drop(clickhouse_get_url(clickhouse), table, line, &sql);
        clickhouse_ask(clickhouse, sql_text_get(&sql), NULL, &answer);
        error = tell_problem(&answer, problem);
    }
    sql_text_free(&sql);
    return error;
}

static int drop_old_partitions(struct clickhouse *clickhouse, const struct table_definition *table,
                               char *problem)
{
    struct clickhouse_answer answer;
    struct sql_text sql = { 0 };
    char list[PARTITIONS_BYTES];

    clickhouse_partitions_put_question(clickhouse_get_url(clickhouse), table, &sql);
    clickhouse_ask_text(clickhouse, sql_text_get(&sql), NULL, list, sizeof(list), &answer);
    sql_text_free(&sql);
    int error = tell_problem(&answer, problem);
    return error < 0 ? error : drop_partitions(clickhouse, table, list, problem);
}

int clickhouse_partitions_drop_old(struct clickhouse *clickhouse, char problem[HTTP_TEXT_BYTES])
{
    struct clickhouse_answer answer;
    char version[VERSION_BYTES];

    clickhouse_ask_text(clickhouse, "SELECT version()", NULL, version, sizeof(version), &answer);
    int error = tell_problem(&answer, problem);
    if (error < 0 || clickhouse_schema_knows_ttl(version))
        return error;
    for (size_t i = 0; i < clickhouse_table_count && error == 0; i++)
        if (clickhouse_tables[i].life != LIFE_FOR_EVER)
            error = drop_old_partitions(clickhouse, &clickhouse_tables[i], problem);
    return error;
}
