/* Export to ClickHouse: 200 hosts of one service, 5,000 stacks and minutes of an hour each. Prints
 * how many bytes a row has, and how many rows a second arrive; "bench_export URL BEGIN", where
 * BEGIN is the hour's, in seconds since 1970. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "profctl/clickhouse/clickhouse_schema.h"
#include "profctl/export/export_batch.h"
#include "profctl/export/export_rows.h"
#include "profctl/export/source_labels.h"

enum { HOSTS = 200, ROWS = 5000, STACKS = 5000, DEPTH = 24, THREADS = 4, MINUTES = 60 };

static struct clickhouse *clickhouse;
static double insert_seconds, pack_seconds;
static uint64_t row_bytes, stack_bytes;

static double seconds_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static _Noreturn void give_up(const char *why)
{
    fprintf(stderr, "bench_export: %s\n", why);
    exit(1);
}

static void insert_rows(enum clickhouse_table table, const struct row_writer *rows, uint64_t count)
{
    struct export_batch batch = { .kind = (enum export_kind)table, .rows = count };
    struct clickhouse_answer answer;
    struct sql_text sql = { 0 };

    sql_text_add(&sql, "INSERT INTO %s.%s (%s) FORMAT RowBinary",
                 clickhouse_get_url(clickhouse)->database, clickhouse_table_name(table),
                 clickhouse_table_columns(table));
    double start = seconds_now();
    if (export_batch_pack(&batch, rows->bytes.items, rows->bytes.count) < 0)
        give_up("no memory");
    pack_seconds += seconds_now() - start;
    const struct clickhouse_request request = { .rows = batch.bytes.items,
                                                .row_bytes = batch.bytes.count };
    clickhouse_ask(clickhouse, sql_text_get(&sql), &request, &answer);
    insert_seconds += seconds_now() - start;
    if (answer.http.outcome != HTTP_DONE)
        give_up(answer.http.text);
    export_batch_free(&batch);
    sql_text_free(&sql);
}

/* Stacks that share their outer half, as those of a server do. */
static uint32_t add_stack(struct export_rows *rows, unsigned number)
{
    static struct row_writer columns;
    char name[128];

    row_writer_clear(&columns);
    row_write_length(&columns, DEPTH);
    for (unsigned i = 0; i < DEPTH; i++) {
        unsigned function = i < DEPTH / 2 ? i : (number >> (DEPTH - i) / 2) * 7 + i;
        int length = snprintf(name, sizeof(name),
                              "server::handler_%u::process_request (in libweb.so)", function);
        row_write_string(&columns, name, (size_t)length);
    }
    row_write_length(&columns, 1);
    row_write_string(&columns, "libweb.so", strlen("libweb.so"));
    row_write_length(&columns, 1);
    row_write_string(&columns, "135afc8c6d1b9e02356cce218bf0109c3687ad9f", 40);
    return export_rows_stack(rows, &columns);
}

static uint32_t add_source(struct export_rows *rows, struct source_labels *labels, unsigned thread)
{
    const struct exported_process process = { .program = "webserver",
                                              .kind = "webserver: worker",
                                              .build_id =
                                                  "135afc8c6d1b9e02356cce218bf0109c3687ad9f",
                                              .pid = -1,
                                              .parent_pid = -1,
                                              .seen_ns = -1 };
    static struct row_writer columns;
    char name[32];

    row_writer_clear(&columns);
    snprintf(name, sizeof(name), "worker thread %u", thread);
    if (source_labels_describe(labels, &process, name, &columns) < 0)
        give_up("no memory");
    return export_rows_source(rows, &columns);
}

static void fill_rows(struct export_rows *rows, unsigned host, uint32_t begin_s)
{
    struct label_list list = { 0 };
    struct source_labels labels;
    char text[128];

    snprintf(text, sizeof(text),
             "service=web,host=web-%03u.example.org,version=2.%u.1,zone=eu-%u,unit=web.service",
             host, host % 3, host % 4);
    if (label_list_take(&list, text) > 0)
        give_up("bad labels");
    source_labels_init(&labels, &list);
    for (unsigned i = 0; i < STACKS; i++)
        if (add_stack(rows, i) == UNIQUE_NONE)
            give_up("no memory");
    uint32_t stacks = unique_strings_count(&rows->stacks);
    for (unsigned i = 0; i < ROWS; i++) {
        const struct sum_key key = { .minute_s = begin_s + i % MINUTES * 60,
                                     .source = add_source(rows, &labels, i % THREADS),
                                     .stack = (i * 7919 + host) % stacks };
        const struct sums sums = { .cpu_ns = 52631579 * (1 + i % 9), .samples = 1 + i % 9 };
        if (sum_table_add(&rows->sums, &key, &sums) < 0)
            give_up("no memory");
    }
    source_labels_fini(&labels);
}

static void insert_host(unsigned host, uint32_t begin_s, uint64_t *rows_inserted, bool has_stacks)
{
    struct export_rows rows;
    struct row_writer out = { 0 };

    export_rows_init(&rows);
    fill_rows(&rows, host, begin_s);
    if (has_stacks) {
        uint32_t stacks = unique_strings_count(&rows.stacks);
        for (uint32_t i = 0; i < stacks; i++)
            export_rows_write_stack(&rows, i, begin_s, &out);
        stack_bytes += out.bytes.count;
        insert_rows(CLICKHOUSE_STACKS, &out, stacks);
        *rows_inserted += stacks;
    } else {
        (void)export_rows_write_samples(&rows, host + 1, begin_s, begin_s + MINUTES * 60, &out);
        row_bytes += out.bytes.count;
        insert_rows(CLICKHOUSE_SAMPLES, &out, sum_table_count(&rows.sums));
        *rows_inserted += sum_table_count(&rows.sums);
    }
    row_writer_free(&out);
    export_rows_fini(&rows);
}

int main(int argc, char **argv)
{
    struct clickhouse_url url;
    char problem[CLICKHOUSE_PROBLEM_BYTES];
    enum http_outcome outcome;
    struct failure failure = { 0 };
    uint64_t rows = 0, stacks = 0;

    if (argc != 3 || clickhouse_url_parse(argv[1], &url, problem) < 0)
        give_up("usage: bench_export URL BEGIN");
    if (!clickhouse_open(&url, NULL, &clickhouse, &failure) ||
        !clickhouse_schema_check(clickhouse, true, &outcome, &failure))
        give_up(failure.text);
    uint32_t begin_s = (uint32_t)strtoul(argv[2], NULL, 10);
    for (unsigned host = 0; host < HOSTS; host++)
        insert_host(host, begin_s, &rows, false);
    printf("figure\texport: a stack and minute, before compression\t%.0f\tbytes\t300\n",
           (double)row_bytes / (double)rows);
    printf("figure\t%d hosts into ClickHouse: stacks and minutes\t%.0f\t/s at least\t100000\n",
           HOSTS, (double)rows / insert_seconds);
    insert_seconds = 0;
    for (unsigned host = 0; host < 10; host++)
        insert_host(host, begin_s, &stacks, true);
    printf("value\tpack_seconds\t%.3f\n", pack_seconds);
    printf("value\tstack_bytes\t%.0f\n", (double)stack_bytes / (double)stacks);
    printf("value\tstacks_per_second\t%.0f\n", (double)stacks / insert_seconds);
    printf("value\trows\t%.0f\n", (double)rows);
    clickhouse_close(clickhouse);
    return 0;
}
