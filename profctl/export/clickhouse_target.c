#include "profctl/export/clickhouse_target.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "profctl/clickhouse/clickhouse_partitions.h"
#include "profctl/clickhouse/clickhouse_schema.h"
#include "profctl/clickhouse/sql_text.h"
#include "profctl/export/batch_add.h"
#include "profctl/export/view_question.h"

enum { QUERY_ID_BYTES = 32 };

_Static_assert((int)EXPORT_STACKS == (int)CLICKHOUSE_STACKS &&
                   (int)EXPORT_SAMPLES == (int)CLICKHOUSE_SAMPLES &&
                   (int)EXPORT_HEALTH == (int)CLICKHOUSE_HEALTH,
               "a batch's kind is its table");

static enum clickhouse_table table_of(const struct export_batch *batch)
{
    return (enum clickhouse_table)batch->kind;
}

/* --- To the spool --- */

static int add_rows(const struct export_minute *minute, struct export_batch *batch,
                    const struct row_writer *rows, struct spool *spool)
{
    const struct batch_body body = { rows->bytes.items, rows->bytes.count, rows->error,
                                     clickhouse_table_name(table_of(batch)), false };

    batch->first_minute_s = minute->first_s;
    batch->last_minute_s = minute->last_s;
    return batch_add(batch, &body, spool);
}

static uint64_t spool_stacks(struct clickhouse_target *target, const struct export_minute *minute,
                             struct spool *spool)
{
    struct export_batch batch = { .kind = EXPORT_STACKS, .id = batch_random_id() };
    struct row_writer rows = { 0 };

    known_stacks_enter_minute(&target->known, minute->first_s);
    for (uint32_t i = 0; i < unique_strings_count(&minute->rows->stacks); i++) {
        if (!known_stacks_add(&target->known, export_rows_hash(minute->rows, i)))
            continue;
        export_rows_write_stack(minute->rows, i, minute->first_s, &rows);
        batch.rows++;
    }
    if (batch.rows > 0 && add_rows(minute, &batch, &rows, spool) < 0)
        known_stacks_forget(&target->known);
    row_writer_free(&rows);
    return batch.rows;
}

static uint64_t spool_samples(const struct export_minute *minute, struct spool *spool)
{
    struct export_batch batch = { .kind = EXPORT_SAMPLES,
                                  .id = batch_random_id(),
                                  .rows = sum_table_count(&minute->rows->sums) };
    struct row_writer rows = { 0 };

    export_rows_write_samples(minute->rows, batch.id, &rows);
    if (batch.rows > 0)
        (void)add_rows(minute, &batch, &rows, spool); /* counted */
    row_writer_free(&rows);
    return batch.rows;
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
    struct export_batch batch = { .kind = EXPORT_HEALTH, .id = batch_random_id(), .rows = 1 };
    struct spool_losses *losses = spool_losses(spool);
    struct row_writer rows = { 0 };

    export_health_write(minute->health, minute->host, &rows);
    (void)add_rows(minute, &batch, &rows, spool); /* counted */
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

/* Whether the server has BATCH already. The question has the name of the insertion: it is refused
 * while that is still under way, and what it tells is so for good. */
static bool ask_for_batch(const struct clickhouse_target *target, const struct export_batch *batch,
                          struct http_answer *out)
{
    struct clickhouse_answer answer;
    struct sql_text sql = { 0 };
    char count[32] = "", query_id[QUERY_ID_BYTES];

    put_question(target, batch, &sql);
    name_query(batch, query_id);
    clickhouse_ask_text(target->clickhouse, sql_text_get(&sql), query_id, count, sizeof(count),
                        &answer);
    sql_text_free(&sql);
    *out = answer.http;
    if (out->outcome == HTTP_REFUSED || out->outcome == HTTP_FAILED)
        out->outcome = HTTP_UNSURE; /* it was the question */
    if (out->outcome == HTTP_DONE && !is_number(count)) {
        out->outcome = HTTP_UNSURE;
        snprintf(out->text, sizeof(out->text), "the server did not say how many rows it has");
    }
    return out->outcome == HTTP_DONE && strcmp(count, "0") != 0;
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

/* Where BATCH may be there: it is inserted if it is not, and if it is, given what it lacks. */
static void settle_doubt(struct clickhouse_target *target, const struct export_batch *batch,
                         struct http_answer *answer)
{
    bool is_there = ask_for_batch(target, batch, answer);
    char query_id[QUERY_ID_BYTES];
    const struct view_batch there = { batch, target->host, query_id };

    name_query(batch, query_id);
    if (is_there)
        view_repair_run(&target->repair, target->clickhouse, &there, answer);
    else if (!is_there && answer->outcome == HTTP_DONE)
        insert_batch(target, batch, answer);
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
    if (answer->outcome == HTTP_FAILED)
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
                                   .drop_old = drop_old,
                                   .owner = target };
}
