/* SQL for ClickHouse: quoting, the tables, and what a query asks for. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/clickhouse/clickhouse_partitions.h"
#include "profctl/clickhouse/clickhouse_schema.h"
#include "profctl/query/query_slice.h"
#include "tests/unit/run_suite.h"

static struct sql_text sql;

static void clear_text(void)
{
    sql_text_clear(&sql);
}

static void free_text(void)
{
    sql_text_free(&sql);
}

START_TEST(plain_text_is_quoted_as_it_is)
{
    sql_text_quote(&sql, "web-1", 5);
    ck_assert_str_eq(sql_text_get(&sql), "'web-1'");
}
END_TEST

/* Of every byte: none leaves the quotes, and what the server reads is the byte. */
START_TEST(any_byte_is_quoted)
{
    for (int byte = 0; byte < 256; byte++) {
        char text[1] = { (char)byte };
        clear_text();
        sql_text_quote(&sql, text, 1);
        const char *quoted = sql_text_get(&sql);
        size_t length = strlen(quoted);
        ck_assert_int_eq(quoted[0], '\'');
        ck_assert_int_eq(quoted[length - 1], '\'');
        if (length == 3) {
            ck_assert_int_eq((unsigned char)quoted[1], byte);
            ck_assert(byte != '\'' && byte != '\\' && byte >= ' ' && byte < 0x7f);
        } else {
            ck_assert_uint_eq(length, 6);
            ck_assert_int_eq(memcmp(quoted + 1, "\\x", 2), 0);
            ck_assert_int_eq(strtol(quoted + 3, NULL, 16), byte);
        }
    }
}
END_TEST

START_TEST(servers_from_19_6_on_know_ttl)
{
    ck_assert(!clickhouse_schema_knows_ttl("18.16.1"));
    ck_assert(!clickhouse_schema_knows_ttl("19.5.3"));
    ck_assert(clickhouse_schema_knows_ttl("19.6.1"));
    ck_assert(clickhouse_schema_knows_ttl("19.14.2"));
    ck_assert(clickhouse_schema_knows_ttl("24.3.1.2672"));
    ck_assert(!clickhouse_schema_knows_ttl(""));
}
END_TEST

/* Whether any statement that makes the tables has TEXT in it. */
static bool is_in_a_statement(const struct clickhouse_url *url, bool has_ttl, const char *text)
{
    bool is_there = false;

    for (unsigned i = 0; clickhouse_schema_statement(url, has_ttl, i, &sql); i++)
        is_there |= strstr(sql_text_get(&sql), text) != NULL;
    return is_there;
}

START_TEST(one_server_has_plain_tables)
{
    const struct clickhouse_url url = { .database = "p", .days = 5, .hour_days = 50 };

    ck_assert(is_in_a_statement(&url, false, "CREATE DATABASE IF NOT EXISTS p"));
    ck_assert(is_in_a_statement(&url, false, "p.samples "));
    ck_assert(is_in_a_statement(&url, false, " ENGINE = MergeTree()"));
    ck_assert(is_in_a_statement(&url, false, "MATERIALIZED VIEW IF NOT EXISTS p.samples_to_hours"));
    ck_assert(!is_in_a_statement(&url, false, "Replicated"));
    ck_assert(!is_in_a_statement(&url, false, "Distributed"));
    ck_assert(!is_in_a_statement(&url, false, "TTL"));
}
END_TEST

START_TEST(a_server_that_knows_ttl_drops_rows_itself)
{
    const struct clickhouse_url url = { .database = "p", .days = 5, .hour_days = 50 };

    ck_assert(is_in_a_statement(&url, true, "TTL minute + INTERVAL 5 DAY"));
    ck_assert(is_in_a_statement(&url, true, "TTL hour + INTERVAL 50 DAY"));
}
END_TEST

/* They are sent once a month, and its last sums have a life of their own. */
START_TEST(sources_and_stacks_outlive_what_refers_to_them)
{
    const struct clickhouse_url hours = { .database = "p", .days = 5, .hour_days = 50 };
    const struct clickhouse_url minutes = { .database = "p", .days = 70, .hour_days = 50 };

    ck_assert(is_in_a_statement(&hours, true, "TTL month + INTERVAL 81 DAY"));
    ck_assert(is_in_a_statement(&hours, true, "TTL day + INTERVAL 81 DAY"));
    ck_assert(is_in_a_statement(&minutes, true, "TTL month + INTERVAL 101 DAY"));
    ck_assert(is_in_a_statement(&minutes, true, "TTL day + INTERVAL 101 DAY"));
}
END_TEST

START_TEST(a_cluster_has_replicated_tables_behind_distributed_ones)
{
    const struct clickhouse_url url = { .database = "p", .cluster = "all", .days = 1 };

    ck_assert(is_in_a_statement(&url, false, "p.samples_local ON CLUSTER all"));
    ck_assert(is_in_a_statement(
        &url, false, "ReplicatedMergeTree('/clickhouse/tables/{shard}/p/samples', '{replica}')"));
    ck_assert(is_in_a_statement(
        &url, false,
        "ReplicatedSummingMergeTree('/clickhouse/tables/{shard}/p/hours', '{replica}', (cpu_ns"));
    ck_assert(
        is_in_a_statement(&url, false, "Distributed(all, p, samples_local, cityHash64(host))"));
    ck_assert(is_in_a_statement(&url, false, "TO p.hours_local AS"));
    ck_assert(is_in_a_statement(&url, false, "allocations FROM p.samples_local"));
}
END_TEST

/* Each shard has its own: exporters may all name one server. */
START_TEST(old_partitions_are_dropped_on_the_whole_cluster)
{
    const struct clickhouse_url alone = { .database = "p", .days = 5 };
    const struct clickhouse_url cluster = { .database = "p", .cluster = "all", .days = 5 };
    const struct table_definition *samples = &clickhouse_tables[0];

    clickhouse_partitions_put_question(&alone, samples, &sql);
    ck_assert_ptr_nonnull(strstr(sql_text_get(&sql), "FROM system.parts WHERE active AND database "
                                                     "= 'p' AND table = 'samples' AND"));
    clear_text();
    clickhouse_partitions_put_question(&cluster, samples, &sql);
    ck_assert_ptr_nonnull(strstr(sql_text_get(&sql), "FROM cluster(all, system, parts) WHERE"));
    ck_assert_ptr_nonnull(strstr(sql_text_get(&sql), "table = 'samples_local' AND"));
    clear_text();
    clickhouse_partitions_put_drop(&alone, samples, "20260131", &sql);
    ck_assert_str_eq(sql_text_get(&sql), "ALTER TABLE p.samples DROP PARTITION 20260131");
    clear_text();
    clickhouse_partitions_put_drop(&cluster, samples, "20260131", &sql);
    ck_assert_str_eq(sql_text_get(&sql),
                     "ALTER TABLE p.samples_local ON CLUSTER all DROP PARTITION 20260131");
}
END_TEST

/* All that makes tables of version 1 such as are made today. */
static void put_upgrades(const struct clickhouse_url *url, char *all, size_t bytes)
{
    struct schema_upgrade upgrade;

    all[0] = '\0';
    for (unsigned i = 0; clickhouse_schema_upgrade(url, i, &upgrade, &sql); i++) {
        strncat(all, sql_text_get(&sql), bytes - strlen(all) - 2);
        strcat(all, ";");
    }
}

START_TEST(older_tables_are_given_what_they_lack)
{
    const struct clickhouse_url alone = { .database = "p", .days = 1 };
    const struct clickhouse_url cluster = { .database = "p", .cluster = "all", .days = 1 };
    char all[2048];

    put_upgrades(&alone, all, sizeof(all));
    ck_assert_str_eq(all, "ALTER TABLE p.samples ADD COLUMN jank_ns UInt64;"
                          "ALTER TABLE p.health ADD COLUMN left_out_labels UInt64;"
                          "ALTER TABLE p.health ADD COLUMN unnamed_addresses UInt64;"
                          "ALTER TABLE p.health ADD COLUMN unsure_batches UInt64;");
    put_upgrades(&cluster, all, sizeof(all));
    ck_assert_str_eq(all, "ALTER TABLE p.samples_local ON CLUSTER all ADD COLUMN jank_ns UInt64;"
                          "DROP TABLE IF EXISTS p.samples ON CLUSTER all;"
                          "CREATE TABLE IF NOT EXISTS p.samples ON CLUSTER all AS "
                          "p.samples_local ENGINE = Distributed(all, p, samples_local, "
                          "cityHash64(host));"
                          "ALTER TABLE p.health_local ON CLUSTER all ADD COLUMN "
                          "left_out_labels UInt64;"
                          "ALTER TABLE p.health_local ON CLUSTER all ADD COLUMN "
                          "unnamed_addresses UInt64;"
                          "ALTER TABLE p.health_local ON CLUSTER all ADD COLUMN "
                          "unsure_batches UInt64;"
                          "DROP TABLE IF EXISTS p.health ON CLUSTER all;"
                          "CREATE TABLE IF NOT EXISTS p.health ON CLUSTER all AS "
                          "p.health_local ENGINE = Distributed(all, p, health_local, "
                          "cityHash64(host));");
}
END_TEST

START_TEST(hours_are_summed_from_hours_and_the_edges_from_minutes)
{
    struct query_slice slice = { .database = "p", .from_s = 3000, .to_s = 8000 };

    query_slice_put_rows(&slice, &sql);
    ck_assert_ptr_nonnull(strstr(sql_text_get(&sql), "FROM p.hours WHERE hour >= toDateTime(3600) "
                                                     "AND hour < toDateTime(7200)"));
    ck_assert_ptr_nonnull(
        strstr(sql_text_get(&sql), "minute >= toDateTime(3000) AND minute < toDateTime(3600)"));
    ck_assert_ptr_nonnull(
        strstr(sql_text_get(&sql), "minute >= toDateTime(7200) AND minute < toDateTime(8000)"));
}
END_TEST

/* For ANY INNER JOIN servers from 20.1 on return one row of each key, of both tables; and names
 * that are those of any() stand for it in conditions. */
START_TEST(hours_have_each_row_of_their_sources)
{
    struct query_slice slice = { .database = "p", .from_s = 3600, .to_s = 7200 };

    ck_assert_int_eq(query_slice_add(&slice, "program=a"), 0);
    query_slice_put_rows(&slice, &sql);
    ck_assert_ptr_nonnull(strstr(sql_text_get(&sql), "GLOBAL ALL INNER JOIN"));
    ck_assert_ptr_nonnull(strstr(sql_text_get(&sql), "any(program) AS one_program"));
    ck_assert_ptr_nonnull(strstr(sql_text_get(&sql), " AND program = 'a'"));
}
END_TEST

START_TEST(jank_is_asked_for_by_minutes)
{
    struct query_slice slice = {
        .database = "p", .from_s = 3600, .to_s = 3 * 3600, .is_jank = true
    };

    sql_text_clear(&sql);
    query_slice_put_rows(&slice, &sql);
    ck_assert_ptr_nonnull(strstr(sql_text_get(&sql), "toInt64(jank_ns) AS cpu_ns"));
    ck_assert_ptr_nonnull(strstr(sql_text_get(&sql), "FROM p.samples WHERE"));
    ck_assert_ptr_null(strstr(sql_text_get(&sql), "p.hours"));
}
END_TEST

START_TEST(a_host_is_asked_for_by_minutes)
{
    struct query_slice slice = { .database = "p", .from_s = 3600, .to_s = 7200 };

    ck_assert_int_eq(query_slice_add(&slice, "host=a"), 0);
    query_slice_put_rows(&slice, &sql);
    ck_assert_ptr_null(strstr(sql_text_get(&sql), "p.hours"));
    ck_assert_ptr_nonnull(strstr(sql_text_get(&sql), " AND host = 'a'"));
}
END_TEST

START_TEST(conditions_are_columns_or_labels_and_always_quoted)
{
    struct query_slice slice = { .database = "p", .to_s = 60 };

    ck_assert_int_eq(query_slice_add(&slice, "version=1'; DROP"), 0);
    ck_assert_int_eq(query_slice_add(&slice, "zo'ne=a=b\n"), 0);
    ck_assert_int_eq(query_slice_add(&slice, "=b"), -EINVAL);
    ck_assert_int_eq(query_slice_add(&slice, "b"), -EINVAL);
    query_slice_put_stacks(&slice, &sql);
    ck_assert_ptr_nonnull(strstr(sql_text_get(&sql), " AND version = '1\\x27; DROP'"));
    ck_assert_ptr_nonnull(
        strstr(sql_text_get(&sql), "label.value[indexOf(label.key, 'zo\\x27ne')] = 'a=b\\x0a'"));
}
END_TEST

START_TEST(there_is_an_end_to_conditions)
{
    struct query_slice slice = { .database = "p" };

    for (int i = 0; i < QUERY_MAX_CONDITIONS; i++)
        ck_assert_int_eq(query_slice_add(&slice, "a=b"), 0);
    ck_assert_int_eq(query_slice_add(&slice, "a=b"), -E2BIG);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.clickhouse_sql");
    TCase *claims = tcase_create("claims");

    tcase_add_test(claims, plain_text_is_quoted_as_it_is);
    tcase_add_test(claims, any_byte_is_quoted);
    tcase_add_test(claims, servers_from_19_6_on_know_ttl);
    tcase_add_test(claims, one_server_has_plain_tables);
    tcase_add_test(claims, a_server_that_knows_ttl_drops_rows_itself);
    tcase_add_test(claims, sources_and_stacks_outlive_what_refers_to_them);
    tcase_add_test(claims, a_cluster_has_replicated_tables_behind_distributed_ones);
    tcase_add_test(claims, old_partitions_are_dropped_on_the_whole_cluster);
    tcase_add_test(claims, older_tables_are_given_what_they_lack);
    tcase_add_test(claims, hours_are_summed_from_hours_and_the_edges_from_minutes);
    tcase_add_test(claims, hours_have_each_row_of_their_sources);
    tcase_add_test(claims, jank_is_asked_for_by_minutes);
    tcase_add_test(claims, a_host_is_asked_for_by_minutes);
    tcase_add_test(claims, conditions_are_columns_or_labels_and_always_quoted);
    tcase_add_test(claims, there_is_an_end_to_conditions);
    tcase_add_checked_fixture(claims, clear_text, free_text);
    suite_add_tcase(suite, claims);
    return run_suite(suite);
}
