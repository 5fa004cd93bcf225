#include "profctl/export/view_repair.h"

#include <inttypes.h>
#include <string.h>

#include "profctl/clickhouse/clickhouse_tables.h"
#include "profctl/clickhouse/sql_text.h"

/* A server calls one view after the other, by their names, which is how they are listed. */
void view_repair_note(struct view_repair *repair, const struct export_batch *batch,
                      const char *text)
{
    if (strstr(text, "pushing to view") == NULL)
        return;
    for (size_t i = 0; i < clickhouse_view_count; i++)
        if (strstr(text, clickhouse_views[i].name) != NULL) {
            repair->batch = batch->id;
            repair->due_views = ((UINT64_C(1) << clickhouse_view_count) - 1) & ~UINT64_C(0) << i;
            return;
        }
}

bool view_repair_is_due(const struct view_repair *repair, const struct export_batch *batch)
{
    return repair->due_views != 0 && repair->batch == batch->id;
}

static void make_rows(struct clickhouse *clickhouse, const struct view_definition *view,
                      const struct export_batch *batch, const char *host,
                      struct http_answer *answer)
{
    const char *database = clickhouse_get_url(clickhouse)->database;
    struct clickhouse_answer whole;
    struct sql_text sql = { 0 };

    sql_text_add(&sql,
                 "INSERT INTO %s.%s SELECT %s FROM %s.samples WHERE minute BETWEEN toDateTime(%u) "
                 "AND toDateTime(%u) AND host = ",
                 database, view->target, view->columns, database, batch->first_minute_s,
                 batch->last_minute_s);
    sql_text_quote(&sql, host, strlen(host));
    sql_text_add(&sql, " AND batch = %" PRIu64, batch->id);
    if (sql.error == 0)
        clickhouse_ask(clickhouse, sql_text_get(&sql), NULL, &whole);
    else
        whole.http = (struct http_answer){ .outcome = HTTP_AWAY, .text = "out of memory" };
    sql_text_free(&sql);
    *answer = whole.http;
}

void view_repair_run(struct view_repair *repair, struct clickhouse *clickhouse,
                     const struct export_batch *batch, const char *host, struct http_answer *answer)
{
    for (size_t i = 0; i < clickhouse_view_count; i++) {
        const struct view_definition *view = &clickhouse_views[i];
        if ((repair->due_views >> i & 1) == 0)
            continue;
        make_rows(clickhouse, view, batch, host, answer);
        if (answer->outcome == HTTP_UNSURE || answer->outcome == HTTP_STOPPED)
            say("the server may lack rows of a batch in its table %s: %s", view->target,
                answer->text);
        else if (answer->outcome != HTTP_DONE)
            return;
        repair->due_views &= ~(UINT64_C(1) << i);
    }
    *answer = (struct http_answer){ .outcome = HTTP_DONE };
}
