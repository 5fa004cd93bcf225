#include "profctl/export/view_repair.h"

#include <string.h>

#include "profctl/clickhouse/clickhouse_tables.h"
#include "profctl/clickhouse/sql_text.h"
#include "profctl/export/view_question.h"

enum {
    WORD_BYTES = 32,
    MOST_UNANSWERED = 3, /* times */
};

/* What was known was of another batch. */
static void begin_batch(struct view_repair *repair, const struct export_batch *batch)
{
    if (repair->batch != batch->id) {
        repair->due_views = 0;
        repair->unanswered = 0;
    }
    repair->batch = batch->id;
}

/* A server calls one view after the other, by their names, which is how they are listed. */
void view_repair_note(struct view_repair *repair, const struct export_batch *batch,
                      const char *text)
{
    if (strstr(text, "pushing to view") == NULL)
        return;
    for (size_t i = 0; i < clickhouse_view_count; i++)
        if (strstr(text, clickhouse_views[i].name) != NULL) {
            begin_batch(repair, batch);
            repair->due_views |= ((UINT64_C(1) << clickhouse_view_count) - 1) & ~UINT64_C(0) << i;
            return;
        }
}

static uint64_t bit_of(size_t view)
{
    return UINT64_C(1) << view;
}

static void answer_no_memory(struct http_answer *answer)
{
    *answer = (struct http_answer){ .outcome = HTTP_AWAY, .text = "out of memory" };
}

static void make_rows(struct clickhouse *clickhouse, const struct view_definition *view,
                      const struct view_batch *batch, struct http_answer *answer)
{
    const char *database = clickhouse_get_url(clickhouse)->database;
    const struct clickhouse_request request = { .query_id = batch->query_id, .is_insert = true };
    struct clickhouse_answer whole;
    struct sql_text sql = { 0 };

    sql_text_add(&sql, "INSERT INTO %s.%s SELECT %s FROM %s.samples WHERE ", database, view->target,
                 view->columns, database);
    view_question_put_batch(batch->batch, batch->host, &sql);
    if (sql.error == 0) {
        clickhouse_ask(clickhouse, sql_text_get(&sql), &request, &whole);
        *answer = whole.http;
    } else {
        answer_no_memory(answer);
    }
    sql_text_free(&sql);
}

/* What the server says of a view with sums, into WORD. */
static void ask_of_view(struct clickhouse *clickhouse, const struct view_definition *view,
                        const struct view_batch *batch, char word[WORD_BYTES],
                        struct http_answer *answer)
{
    struct clickhouse_answer whole;
    struct sql_text sql = { 0 };

    view_question_put(clickhouse_get_url(clickhouse)->database, view, batch->batch, batch->host,
                      &sql);
    if (sql.error == 0) {
        clickhouse_ask_text(clickhouse, sql_text_get(&sql), batch->query_id, word, WORD_BYTES,
                            &whole);
        *answer = whole.http;
    } else {
        answer_no_memory(answer);
    }
    sql_text_free(&sql);
}

/* Whether the server will not say it, now or later: a question that it cannot answer in time holds
 * nothing up for ever. */
static bool is_question_given_up(struct view_repair *repair, const struct http_answer *answer)
{
    if (answer->outcome == HTTP_AWAY || answer->outcome == HTTP_STOPPED)
        return false;
    return ++repair->unanswered >= MOST_UNANSWERED;
}

/* Whether it is known what the view VIEW lacks of BATCH. */
static bool look_at_view(struct view_repair *repair, struct clickhouse *clickhouse, size_t view,
                         const struct view_batch *batch, struct http_answer *answer)
{
    char word[WORD_BYTES] = "";

    ask_of_view(clickhouse, &clickhouse_views[view], batch, word, answer);
    if (answer->outcome != HTTP_DONE && !is_question_given_up(repair, answer)) {
        if (answer->outcome == HTTP_FAILED || answer->outcome == HTTP_REFUSED)
            answer->outcome = HTTP_UNSURE; /* it was the question */
        return false;
    }
    if (answer->outcome == HTTP_DONE && strcmp(word, VIEW_LACKS_IT) == 0) {
        repair->due_views |= bit_of(view);
    } else if (answer->outcome != HTTP_DONE || strcmp(word, VIEW_HAS_IT) != 0) {
        repair->unsure_batches++;
        say("rows of a batch may be missing from the server's table %s: it did not say%s%s",
            clickhouse_views[view].target, answer->text[0] != '\0' ? ": " : "", answer->text);
    }
    return true;
}

/* Which of all views lack the batch, where the server has not said so. False: ANSWER tells why it
 * is not known yet. */
static bool look_at_views(struct view_repair *repair, struct clickhouse *clickhouse,
                          const struct view_batch *batch, struct http_answer *answer)
{
    for (size_t i = 0; i < clickhouse_view_count; i++) {
        if ((repair->due_views & bit_of(i)) != 0)
            continue;
        if (!clickhouse_views[i].has_sums)
            repair->due_views |= bit_of(i);
        else if (!look_at_view(repair, clickhouse, i, batch, answer))
            return false;
    }
    return true;
}

void view_repair_run(struct view_repair *repair, struct clickhouse *clickhouse,
                     const struct view_batch *batch, struct http_answer *answer)
{
    begin_batch(repair, batch->batch);
    if (!look_at_views(repair, clickhouse, batch, answer))
        return;
    for (size_t i = 0; i < clickhouse_view_count; i++) {
        if ((repair->due_views & bit_of(i)) == 0)
            continue;
        make_rows(clickhouse, &clickhouse_views[i], batch, answer);
        if (answer->outcome == HTTP_DONE || answer->outcome == HTTP_UNSURE ||
            answer->outcome == HTTP_STOPPED)
            repair->due_views &= ~bit_of(i); /* where nobody knows, the server is asked again */
        if (answer->outcome != HTTP_DONE)
            return;
    }
    *answer = (struct http_answer){ .outcome = HTTP_DONE };
}
