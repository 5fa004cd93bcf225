#include "profctl/export/delivery.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "common/time_units.h"
#include "profctl/clickhouse/clickhouse_schema.h"
#include "profctl/clickhouse/sql_text.h"

enum {
    FIRST_WAIT_MS = 1000,
    MOST_WAIT_MS = 60 * 1000,
    MOST_DOUBLINGS = 6,
    /* A batch that a working server answers so often with an error of its own is not the server's
     * trouble. About twenty minutes. */
    MOST_FAILURES = 25,
};

uint64_t delivery_wait_ms(unsigned failures, uint32_t chance)
{
    unsigned doublings = failures > 0 ? failures - 1 : 0;
    uint64_t wait_ms = FIRST_WAIT_MS << (doublings < MOST_DOUBLINGS ? doublings : MOST_DOUBLINGS);

    if (wait_ms > MOST_WAIT_MS)
        wait_ms = MOST_WAIT_MS;
    return wait_ms / 2 + chance % (wait_ms / 2);
}

static void wait_longer(struct delivery *delivery, uint64_t now_ns)
{
    uint32_t chance;

    if (getrandom(&chance, sizeof(chance), GRND_NONBLOCK) != (ssize_t)sizeof(chance))
        chance = 0; /* the shortest wait */
    delivery->failures++;
    delivery->next_ns = now_ns + delivery_wait_ms(delivery->failures, chance) * NS_PER_MS;
}

static void put_insert(const struct delivery *delivery, struct sql_text *sql)
{
    enum clickhouse_table table = delivery->batch.table;

    sql_text_add(sql, "INSERT INTO %s.%s (%s) FORMAT RowBinary",
                 clickhouse_get_url(delivery->clickhouse)->database, clickhouse_table_name(table),
                 clickhouse_table_columns(table));
}

static void put_question(const struct delivery *delivery, struct sql_text *sql)
{
    const struct export_batch *batch = &delivery->batch;

    sql_text_add(sql,
                 "SELECT count() FROM %s.samples WHERE minute BETWEEN toDateTime(%u) AND "
                 "toDateTime(%u) AND host = ",
                 clickhouse_get_url(delivery->clickhouse)->database, batch->first_minute_s,
                 batch->last_minute_s);
    sql_text_quote(sql, delivery->host, strlen(delivery->host));
    sql_text_add(sql, " AND batch = %" PRIu64, batch->id);
}

/* Rows of other tables replace each other; samples would count twice. */
static bool must_ask(const struct delivery *delivery)
{
    return delivery->is_unsure && delivery->batch.table == CLICKHOUSE_SAMPLES;
}

/* Whether the server has the batch already: *IS_THERE. */
static enum clickhouse_outcome ask_for_batch(struct delivery *delivery, bool *is_there,
                                             struct clickhouse_answer *answer)
{
    struct sql_text sql = { 0 };
    char count[32] = "";

    put_question(delivery, &sql);
    clickhouse_ask_text(delivery->clickhouse, sql_text_get(&sql), count, sizeof(count), answer);
    sql_text_free(&sql);
    *is_there = answer->outcome == CLICKHOUSE_DONE && strcmp(count, "0") != 0;
    return answer->outcome;
}

static enum clickhouse_outcome insert_batch(struct delivery *delivery,
                                            struct clickhouse_answer *answer)
{
    const struct clickhouse_request request = { .rows = delivery->batch.bytes.items,
                                                .row_bytes = delivery->batch.bytes.count };
    struct sql_text sql = { 0 };

    put_insert(delivery, &sql);
    clickhouse_ask(delivery->clickhouse, sql_text_get(&sql), &request, answer);
    sql_text_free(&sql);
    return answer->outcome;
}

static void note_arrival(struct delivery *delivery)
{
    delivery->failures = 0;
    delivery->is_unsure = false;
    delivery->delivered_rows += delivery->batch.rows;
    delivery->delivered_batches++;
    spool_remove_first(delivery->spool);
}

static enum delivery_step lose_batch(struct delivery *delivery)
{
    delivery->failures = 0;
    delivery->is_unsure = false;
    spool_lose_first(delivery->spool, &delivery->batch);
    return DELIVERY_LOST;
}

/* The tables may have been dropped as well, so they are looked at again. */
static enum delivery_step settle_failure(struct delivery *delivery, uint64_t now_ns,
                                         enum clickhouse_outcome outcome)
{
    delivery->is_unsure |= outcome == CLICKHOUSE_UNSURE || outcome == CLICKHOUSE_STOPPED;
    delivery->has_tables = delivery->has_tables && outcome != CLICKHOUSE_AWAY;
    if (outcome == CLICKHOUSE_STOPPED)
        return DELIVERY_NOTHING;
    if (outcome == CLICKHOUSE_REFUSED ||
        (outcome == CLICKHOUSE_UNSURE && delivery->failures >= MOST_FAILURES))
        return lose_batch(delivery);
    wait_longer(delivery, now_ns);
    return DELIVERY_FAILED;
}

static enum delivery_step send_batch(struct delivery *delivery, uint64_t now_ns, char *text)
{
    struct clickhouse_answer answer = { 0 };
    enum clickhouse_outcome outcome = CLICKHOUSE_DONE;
    bool is_there = false;

    if (must_ask(delivery))
        outcome = ask_for_batch(delivery, &is_there, &answer);
    if (outcome == CLICKHOUSE_DONE && !is_there)
        outcome = insert_batch(delivery, &answer);
    else if (outcome == CLICKHOUSE_REFUSED)
        outcome = CLICKHOUSE_UNSURE; /* it was the question */
    memcpy(text, answer.text, CLICKHOUSE_TEXT_BYTES);
    if (outcome != CLICKHOUSE_DONE)
        return settle_failure(delivery, now_ns, outcome);
    note_arrival(delivery);
    return DELIVERY_DONE;
}

static enum delivery_step check_tables(struct delivery *delivery, uint64_t now_ns, char *text)
{
    enum clickhouse_outcome outcome;
    struct failure failure = { 0 };

    delivery->has_tables = clickhouse_schema_check(delivery->clickhouse, true, &outcome, &failure);
    snprintf(text, CLICKHOUSE_TEXT_BYTES, "%.*s", CLICKHOUSE_TEXT_BYTES - 1, failure.text);
    if (delivery->has_tables)
        return DELIVERY_DONE;
    if (outcome == CLICKHOUSE_REFUSED)
        return DELIVERY_ENDED;
    wait_longer(delivery, now_ns);
    return outcome == CLICKHOUSE_STOPPED ? DELIVERY_NOTHING : DELIVERY_FAILED;
}

enum delivery_step delivery_step(struct delivery *delivery, uint64_t now_ns,
                                 char text[CLICKHOUSE_TEXT_BYTES])
{
    text[0] = '\0';
    if (now_ns < delivery->next_ns)
        return DELIVERY_NOTHING;
    int error = spool_first(delivery->spool, &delivery->batch);
    if (error == -ENOENT)
        return DELIVERY_NOTHING;
    if (error < 0) {
        snprintf(text, CLICKHOUSE_TEXT_BYTES, "cannot read the spool: %s", strerror(-error));
        wait_longer(delivery, now_ns);
        return DELIVERY_FAILED;
    }
    if (!delivery->has_tables) {
        enum delivery_step step = check_tables(delivery, now_ns, text);
        if (step != DELIVERY_DONE)
            return step;
    }
    return send_batch(delivery, now_ns, text);
}

void delivery_free(struct delivery *delivery)
{
    export_batch_free(&delivery->batch);
}
