#include "profctl/export/view_question.h"

#include <inttypes.h>
#include <string.h>

enum { HOUR_S = 3600 };

/* One number for all that a row tells: sums of it are sums of each. */
#define AMOUNT "(cpu_ns + toInt64(samples + allocated_bytes + allocations))"

void view_question_put_batch(const struct export_batch *batch, const char *host,
                             struct sql_text *sql)
{
    sql_text_add(sql, "minute BETWEEN toDateTime(%u) AND toDateTime(%u) AND host = ",
                 batch->first_minute_s, batch->last_minute_s);
    sql_text_quote(sql, host, strlen(host));
    sql_text_add(sql, " AND batch = %" PRIu64, batch->id);
}

/* That COLUMN has a value which the batch has, too. */
static void put_shared(const char *database, const char *column, const struct export_batch *batch,
                       const char *host, struct sql_text *sql)
{
    sql_text_add(sql, " AND %s GLOBAL IN (SELECT %s FROM %s.samples WHERE ", column, column,
                 database);
    view_question_put_batch(batch, host, sql);
    sql_text_add(sql, ")");
}

/* The batch's hours, services and stacks; TIME is the table's column. */
static void put_range(const char *database, const char *time, const struct export_batch *batch,
                      const char *host, struct sql_text *sql)
{
    uint32_t first_s = batch->first_minute_s - batch->first_minute_s % HOUR_S;
    uint32_t last_s = batch->last_minute_s - batch->last_minute_s % HOUR_S + HOUR_S - 1;

    sql_text_add(sql, " WHERE %s BETWEEN toDateTime(%u) AND toDateTime(%u)", time, first_s, last_s);
    put_shared(database, "service", batch, host, sql);
    put_shared(database, "stack", batch, host, sql);
}

void view_question_put(const char *database, const struct view_definition *view,
                       const struct export_batch *batch, const char *host, struct sql_text *sql)
{
    sql_text_add(sql,
                 "SELECT multiIf(countIf(owed = own) > countIf(owed = 0), '" VIEW_LACKS_IT
                 "', count() = 0 OR countIf(owed = 0) > 0, '" VIEW_HAS_IT "', '" VIEW_TELLS_NOTHING
                 "') FROM (SELECT sum(part) AS own, sum(amount) AS owed FROM ("
                 "SELECT service, hour, source, stack, " AMOUNT " AS amount, "
                 "if(is_own, " AMOUNT ", toInt64(0)) AS part FROM (SELECT %s, (",
                 view->columns);
    view_question_put_batch(batch, host, sql);
    sql_text_add(sql, ") AS is_own FROM %s.samples", database);
    put_range(database, "minute", batch, host, sql);
    sql_text_add(sql,
                 ") UNION ALL SELECT service, hour, source, stack, -" AMOUNT " AS amount, "
                 "toInt64(0) AS part FROM %s.%s",
                 database, view->target);
    put_range(database, "hour", batch, host, sql);
    sql_text_add(sql, ") GROUP BY service, hour, source, stack HAVING own > 0)");
}
