/* Rows of a minute, or of several, as batches for a ClickHouse. */
#include <check.h>

#include "profctl/export/clickhouse_target.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/spool_scene.h"

enum { MIDNIGHT_S = 20000 * 86400, MINUTE_S = 60 };

static struct spool *spool;
static struct export_rows rows;
static struct clickhouse_target target;

static void set_up(void)
{
    make_folder();
    spool = open_spool(LIMIT_BYTES);
    export_rows_init(&rows);
    clickhouse_target_init(&target, NULL, "here");
}

static void tear_down(void)
{
    clickhouse_target_fini(&target);
    export_rows_fini(&rows);
    spool_close(spool);
    remove_folder();
}

static void add_row(uint32_t minute_s)
{
    struct row_writer columns = { 0 };
    const struct sums sums = { .cpu_ns = 1, .samples = 1 };

    row_write_string(&columns, "x", 1);
    const struct sum_key key = { .minute_s = minute_s,
                                 .source = export_rows_source(&rows, &columns),
                                 .stack = export_rows_stack(&rows, &columns) };
    ck_assert_int_eq(sum_table_add(&rows.sums, &key, &sums), 0);
    row_writer_free(&columns);
}

static struct export_counts spool_minutes(uint32_t first_s, uint32_t last_s)
{
    const struct export_target table = clickhouse_target_table(&target);
    const struct export_minute minute = {
        .rows = &rows, .host = "here", .first_s = first_s, .last_s = last_s
    };

    return table.spool(table.owner, &minute, spool);
}

static void expect_next_batch(enum export_kind kind, uint64_t count, uint32_t first_s,
                              uint32_t last_s)
{
    struct export_batch batch = { 0 };

    ck_assert_int_eq(spool_first(spool, &batch), 0);
    ck_assert_int_eq(batch.kind, kind);
    ck_assert_uint_eq(batch.rows, count);
    ck_assert_uint_eq(batch.first_minute_s, first_s);
    ck_assert_uint_eq(batch.last_minute_s, last_s);
    spool_remove_first(spool);
    export_batch_free(&batch);
}

START_TEST(minutes_of_a_quarter_are_a_batch)
{
    add_row(MIDNIGHT_S);
    add_row(MIDNIGHT_S + MINUTE_S);
    ck_assert_uint_eq(spool_minutes(MIDNIGHT_S, MIDNIGHT_S + MINUTE_S).rows, 2);
    expect_next_batch(EXPORT_STACKS, 1, MIDNIGHT_S, MIDNIGHT_S + MINUTE_S);
    expect_next_batch(EXPORT_SAMPLES, 2, MIDNIGHT_S, MIDNIGHT_S + MINUTE_S);
    ck_assert_uint_eq(first_id(spool), 0);
}
END_TEST

/* The server stores the rows of two days one after the other, and may fail in between. */
START_TEST(no_batch_has_rows_of_two_days)
{
    const uint32_t evening_s = MIDNIGHT_S - 2 * MINUTE_S, last_s = MIDNIGHT_S + MINUTE_S;

    add_row(evening_s);
    add_row(evening_s + MINUTE_S);
    add_row(MIDNIGHT_S);
    ck_assert_uint_eq(spool_minutes(evening_s, last_s).rows, 3);
    expect_next_batch(EXPORT_STACKS, 1, evening_s, last_s);
    expect_next_batch(EXPORT_SAMPLES, 2, evening_s, MIDNIGHT_S - 1);
    expect_next_batch(EXPORT_SAMPLES, 1, MIDNIGHT_S, last_s);
    ck_assert_uint_eq(first_id(spool), 0);
}
END_TEST

/* Days begin when they do where the server is. */
START_TEST(nor_in_any_time_zone)
{
    const uint32_t nepal_s = MIDNIGHT_S - (5 * 60 + 45) * MINUTE_S;

    add_row(nepal_s - MINUTE_S);
    add_row(nepal_s);
    ck_assert_uint_eq(spool_minutes(nepal_s - MINUTE_S, nepal_s).rows, 2);
    expect_next_batch(EXPORT_STACKS, 1, nepal_s - MINUTE_S, nepal_s);
    expect_next_batch(EXPORT_SAMPLES, 1, nepal_s - MINUTE_S, nepal_s - 1);
    expect_next_batch(EXPORT_SAMPLES, 1, nepal_s, nepal_s);
}
END_TEST

START_TEST(a_quarter_without_rows_is_no_batch)
{
    ck_assert_uint_eq(spool_minutes(MIDNIGHT_S, MIDNIGHT_S + MINUTE_S).rows, 0);
    ck_assert_uint_eq(first_id(spool), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.clickhouse_target");
    TCase *tests = tcase_create("batches");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, minutes_of_a_quarter_are_a_batch);
    tcase_add_test(tests, no_batch_has_rows_of_two_days);
    tcase_add_test(tests, nor_in_any_time_zone);
    tcase_add_test(tests, a_quarter_without_rows_is_no_batch);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
