#include "profctl/export/clickhouse_target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/clickhouse/clickhouse_partitions.h"
#include "profctl/clickhouse/clickhouse_schema.h"
#include "profctl/clickhouse/sql_text.h"
#include "profctl/export/batch_add.h"
#include "profctl/export/view_question.h"

enum {
    QUERY_ID_BYTES = 32,
    QUARTER_S = 15 * 60, /* days begin with one, in each time zone */
};

_Static_assert((int)EXPORT_STACKS == (int)CLICKHOUSE_STACKS &&
                   (int)EXPORT_SAMPLES == (int)CLICKHOUSE_SAMPLES &&
                   (int)EXPORT_HEALTH == (int)CLICKHOUSE_HEALTH,
               "a batch's kind is its table");

static enum clickhouse_table table_of(const struct export_batch *batch)
{
    return (enum clickhouse_table)batch->kind;
}

/* --- To the spool --- */

static int add_rows(struct export_batch *batch, const struct row_writer *rows, struct spool *spool)
{
    const struct batch_body body = { rows->bytes.items, rows->bytes.count, rows->error,
                                     clickhouse_table_name(table_of(batch)), false };

    return batch_add(batch, &body, spool);
}

static struct export_batch make_batch(enum export_kind kind, uint32_t first_s, uint32_t last_s)
{
    return (struct export_batch){
        .kind = kind, .id = batch_random_id(), .first_minute_s = first_s, .last_minute_s = last_s
    };
}

static uint64_t spool_stacks(struct clickhouse_target *target, const struct export_minute *minute,
                             struct spool *spool)
{
    struct export_batch batch = make_batch(EXPORT_STACKS, minute->first_s, minute->last_s);
    struct row_writer rows = { 0 };

    known_stacks_enter_minute(&target->known, minute->first_s);
    for (uint32_t i = 0; i < unique_strings_count(&minute->rows->stacks); i++) {
        if (!known_stacks_add(&target->known, export_rows_hash(minute->rows, i)))
            continue;
        export_rows_write_stack(minute->rows, i, minute->first_s, &rows);
        batch.rows++;
    }
    if (batch.rows > 0 && add_rows(&batch, &rows, spool) < 0)
        known_stacks_forget(&target->known);
    row_writer_free(&rows);
    return batch.rows;
}

static uint64_t spool_part(const struct export_minute *minute, uint32_t first_s, uint32_t last_s,
                           struct spool *spool)
{
    struct export_batch batch = make_batch(EXPORT_SAMPLES, first_s, last_s);
    struct row_writer rows = { 0 };

    batch.rows = export_rows_write_samples(minute->rows, batch.id, first_s, last_s, &rows);
    if (batch.rows > 0)
        (void)add_rows(&batch, &rows, spool); /* counted */
    row_writer_free(&rows);
    return batch.rows;
}

/* A server stores rows of a batch by days, and may fail between two. So no batch has rows of two,
 * wherever the server is. */
static uint64_t spool_samples(const struct export_minute *minute, struct spool *spool)
{
    uint64_t rows = 0;

    for (uint32_t quarter = minute->first_s / QUARTER_S; quarter <= minute->last_s / QUARTER_S;
         quarter++) {
        uint32_t first_s = quarter * QUARTER_S, last_s = first_s + (QUARTER_S - 1);
        rows += spool_part(minute, first_s > minute->first_s ? first_s : minute->first_s,
                           last_s < minute->last_s ? last_s : minute->last_s, spool);
    }
    return rows;
}

static struct export_counts spool_minute(void *owner, const struct export_minute *minute,
                                         struct spool *spool)
{
    struct clickhouse_target *target = owner;
    uint64_t stacks = spool_stacks(target, minute, spool);

    return (struct export_counts){ .new_stacks = stacks, .rows = spool_samples(minute, spool) };
}

static void spool_health(void *owner, const struct export_minute *minute, struct spool *spool)
{
    struct clickhouse_target *target = owner;
    struct export_batch batch = make_batch(EXPORT_HEALTH, minute->first_s, minute->last_s);
    struct spool_losses *losses = spool_losses(spool);
    struct row_writer rows = { 0 };

    batch.rows = 1;
    export_health_write(minute->health, minute->host, &rows);
    (void)add_rows(&batch, &rows, spool); /* counted */
    row_writer_free(&rows);
    if (losses->has_lost_stacks)
        known_stacks_forget(&target->known);
    losses->has_lost_stacks = false;
}

/* --- To the server --- */

static enum http_outcome prepare_tables(void *owner, char text[HTTP_TEXT_BYTES])
{
    const struct clickhouse_target *target = owner;
    enum http_outcome outcome;
    struct failure failure = { 0 };
    bool has_tables = clickhouse_schema_check(target->clickhouse, true, &outcome, &failure);

    snprintf(text, HTTP_TEXT_BYTES, "%.*s", HTTP_TEXT_BYTES - 1, failure.text);
    return has_tables ? HTTP_DONE : outcome;
}

static void put_insert(const struct clickhouse_target *target, const struct export_batch *batch,
                       struct sql_text *sql)
{
    sql_text_add(sql, "INSERT INTO %s.%s (%s) FORMAT RowBinary",
                 clickhouse_get_url(target->clickhouse)->database,
                 clickhouse_table_name(table_of(batch)), clickhouse_table_columns(table_of(batch)));
}

static void put_question(const struct clickhouse_target *target, const struct export_batch *batch,
                         struct sql_text *sql)
{
    sql_text_add(sql, "SELECT count() FROM %s.samples WHERE ",
                 clickhouse_get_url(target->clickhouse)->database);
    view_question_put_batch(batch, target->host, sql);
}

/* What the server calls the request that inserts BATCH, and the question about it. */
static void name_query(const struct export_batch *batch, char query_id[QUERY_ID_BYTES])
{
    snprintf(query_id, QUERY_ID_BYTES, "profd%016" PRIx64, batch->id);
}

static bool is_number(const char *text)
{
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* How many rows of BATCH the server has already, into *COUNT. The question has the name of the
 * insertion: it is refused while that is still under way, and what it tells is so for good. */
static void ask_for_batch(const struct clickhouse_target *target, const struct export_batch *batch,
                          uint64_t *count, struct http_answer *out)
{
    struct clickhouse_answer answer;
    struct sql_text sql = { 0 };
    char text[32] = "", query_id[QUERY_ID_BYTES];

    put_question(target, batch, &sql);
    name_query(batch, query_id);
    clickhouse_ask_text(target->clickhouse, sql_text_get(&sql), query_id, text, sizeof(text),
                        &answer);
    sql_text_free(&sql);
    *out = answer.http;
    if (out->outcome == HTTP_REFUSED || out->outcome == HTTP_FAILED)
        out->outcome = HTTP_UNSURE; /* it was the question */
    if (out->outcome == HTTP_DONE && !is_number(text)) {
        out->outcome = HTTP_UNSURE;
        snprintf(out->text, sizeof(out->text), "the server did not say how many rows it has");
    }
    *count = strtoull(text, NULL, 10);
}

static void insert_batch(const struct clickhouse_target *target, const struct export_batch *batch,
                         struct http_answer *out)
{
    bool is_once = batch->kind == EXPORT_SAMPLES; /* others may come while they are under way */
    char query_id[QUERY_ID_BYTES];
    const struct clickhouse_request request = { .query_id = is_once ? query_id : NULL,
                                                .is_insert = true,
                                                .rows = batch->bytes.items,
                                                .row_bytes = batch->bytes.count };
    struct clickhouse_answer answer;
    struct sql_text sql = { 0 };

    name_query(batch, query_id);
    put_insert(target, batch, &sql);
    clickhouse_ask(target->clickhouse, sql_text_get(&sql), &request, &answer);
    sql_text_free(&sql);
    *out = answer.http;
}

/* Which of its rows are missing is not known, so that they cannot be sent again. */
static void lose_the_rest(struct clickhouse_target *target, const struct export_batch *batch,
                          uint64_t count)
{
    uint64_t missing = batch->rows - count;

    target->lost_rows += missing;
    say("the server stored a part of a batch that it failed at: %" PRIu64 " rows of %" PRIu64
        " are lost",
        missing, batch->rows);
}

/* Where BATCH may be there: it is inserted if it is not, and if it is, given what it lacks. */
static void settle_doubt(struct clickhouse_target *target, const struct export_batch *batch,
                         struct http_answer *answer)
{
    uint64_t count;
    char query_id[QUERY_ID_BYTES];
    const struct view_batch there = { batch, target->host, query_id };

    name_query(batch, query_id);
    ask_for_batch(target, batch, &count, answer);
    if (answer->outcome != HTTP_DONE)
        return;
    if (count == 0) {
        insert_batch(target, batch, answer);
        return;
    }
    view_repair_run(&target->repair, target->clickhouse, &there, answer);
    if (answer->outcome == HTTP_DONE && count < batch->rows)
        lose_the_rest(target, batch, count);
}

/* Rows of other tables replace each other; samples would count twice. */
static void send_batch(void *owner, const struct export_batch *batch, bool is_unsure,
                       struct http_answer *answer)
{
    struct clickhouse_target *target = owner;

    if (batch->kind != EXPORT_SAMPLES) {
        insert_batch(target, batch, answer);
        return;
    }
    if (is_unsure)
        settle_doubt(target, batch, answer);
    else
        insert_batch(target, batch, answer);
    if (answer->outcome == HTTP_FAILED || answer->outcome == HTTP_UNSURE)
        view_repair_note(&target->repair, batch, answer->text);
}

static bool takes_kind(const void *owner, enum export_kind kind)
{
    (void)owner;
    return (unsigned)kind < CLICKHOUSE_TABLES;
}

static int64_t clock_ahead(const void *owner)
{
    const struct clickhouse_target *target = owner;

    return clickhouse_clock_ahead(target->clickhouse);
}

static uint64_t unsure_batches(const void *owner)
{
    const struct clickhouse_target *target = owner;

    return target->repair.unsure_batches;
}

static uint64_t lost_rows(const void *owner)
{
    const struct clickhouse_target *target = owner;

    return target->lost_rows;
}

static int drop_old(void *owner, char text[HTTP_TEXT_BYTES])
{
    const struct clickhouse_target *target = owner;

    return clickhouse_partitions_drop_old(target->clickhouse, text);
}

/* --- Life cycle --- */

void clickhouse_target_init(struct clickhouse_target *target, struct clickhouse *clickhouse,
                            const char *host)
{
    *target = (struct clickhouse_target){ .clickhouse = clickhouse, .host = host };
    known_stacks_init(&target->known);
}

void clickhouse_target_fini(struct clickhouse_target *target)
{
    known_stacks_fini(&target->known);
}

struct export_target clickhouse_target_table(struct clickhouse_target *target)
{
    return (struct export_target){ .spool = spool_minute,
                                   .spool_health = spool_health,
                                   .prepare = prepare_tables,
                                   .send = send_batch,
                                   .takes = takes_kind,
                                   .clock_ahead = clock_ahead,
                                   .unsure_batches = unsure_batches,
                                   .lost_rows = lost_rows,
                                   .drop_old = drop_old,
                                   .owner = target };
}
