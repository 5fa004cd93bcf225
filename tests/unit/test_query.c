/* Queries: times, and an answer that becomes a capture. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/clickhouse/row_binary.h"
#include "profctl/profile/profile_walk.h"
#include "profctl/query/query_answer.h"
#include "profctl/query/query_profile.h"
#include "profctl/query/query_time.h"
#include "profctl/tables/allocation_payload.h"
#include "tests/unit/run_suite.h"

enum { NOW_S = 1800000000, HASH_BYTES = 16 };

static uint32_t parsed_time(const char *text)
{
    uint32_t time_s = 0;

    ck_assert_msg(query_time_parse(text, NOW_S, &time_s) == 0, "%s", text);
    return time_s;
}

START_TEST(times_are_ago_or_dates)
{
    ck_assert_uint_eq(parsed_time("now"), NOW_S);
    ck_assert_uint_eq(parsed_time("-1h"), NOW_S - 3600);
    ck_assert_uint_eq(parsed_time("-90m"), NOW_S - 5400);
    ck_assert_uint_eq(parsed_time("-30"), NOW_S - 30);
    ck_assert_uint_eq(parsed_time("-2d"), NOW_S - 2 * 86400);
    ck_assert_uint_eq(parsed_time("1970-01-02"), 86400);
    ck_assert_uint_eq(parsed_time("1970-01-02 01:02"), 86400 + 3720);
    ck_assert_uint_eq(parsed_time("1970-01-02T01:02:03Z"), 86400 + 3723);
}
END_TEST

START_TEST(what_is_no_time_is_refused)
{
    static const char *const bad[] = { "",           "1h",         "-",      "-h",
                                       "-1x",        "2026-02-31", "nowish", "2026-13-01",
                                       "-99999999d", "1950-01-01", "-nan",   "2026-01-01x" };
    uint32_t time_s;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_assert_msg(query_time_parse(bad[i], NOW_S, &time_s) < 0, "%s", bad[i]);
}
END_TEST

START_TEST(whole_hours_are_within)
{
    uint32_t first, last;

    query_time_whole_hours(3600, 7200, &first, &last);
    ck_assert_uint_eq(first, 3600);
    ck_assert_uint_eq(last, 7200);
    query_time_whole_hours(3601, 10799, &first, &last);
    ck_assert_uint_eq(first, 7200);
    ck_assert_uint_eq(last, first);
    query_time_whole_hours(3601, 3700, &first, &last);
    ck_assert_uint_eq(first, last);
    query_time_whole_hours(0, UINT32_MAX, &first, &last);
    ck_assert_uint_eq(first, 0);
    ck_assert_uint_eq(last, UINT32_MAX / 3600 * 3600);
}
END_TEST

static void put_allocating_row(struct row_writer *rows, const char *program, const char *thread,
                               char stack, int64_t cpu_ns, uint64_t samples,
                               uint64_t allocated_bytes)
{
    char hash[HASH_BYTES];

    memset(hash, stack, sizeof(hash));
    row_write_string(rows, program, strlen(program));
    row_write_string(rows, thread, strlen(thread));
    row_write_bytes(rows, hash, sizeof(hash));
    row_write_u64(rows, (uint64_t)cpu_ns);
    row_write_u64(rows, samples);
    row_write_u64(rows, allocated_bytes);
    row_write_u64(rows, 5);
}

static void put_row(struct row_writer *rows, const char *program, const char *thread, char stack,
                    int64_t cpu_ns, uint64_t samples)
{
    put_allocating_row(rows, program, thread, stack, cpu_ns, samples, 0);
}

static void put_stack(struct row_writer *rows, char stack, const char *const *frames, size_t count)
{
    char hash[HASH_BYTES];

    memset(hash, stack, sizeof(hash));
    row_write_bytes(rows, hash, sizeof(hash));
    row_write_length(rows, count);
    for (size_t i = 0; i < count; i++)
        row_write_string(rows, frames[i], strlen(frames[i]));
}

/* Gives the bytes one by one, as a network may. */
static int give_bytes(struct query_answer *answer, const struct row_writer *rows,
                      int (*take)(void *context, const char *bytes, size_t count))
{
    int error = 0;

    for (size_t i = 0; i < rows->bytes.count && error == 0; i++)
        error = take(answer, (const char *)rows->bytes.items + i, 1);
    return error < 0 ? error : query_answer_end(answer);
}

struct seen {
    char text[4096];
    size_t length;
    double cpu_ns, not_sampled_ns;
    size_t samples, threads;
};

static int on_thread(void *owner, const struct profile_thread *thread)
{
    struct seen *seen = owner;

    seen->threads++;
    seen->samples += thread->sample_count;
    seen->not_sampled_ns += thread->not_sampled_ns;
    seen->length += (size_t)snprintf(seen->text + seen->length, sizeof(seen->text) - seen->length,
                                     "%s/%s", thread->process_name, thread->name);
    for (size_t i = 0; i < thread->tables->stacks.count; i++) {
        const struct table_stack *stack = thread_tables_stack(thread->tables, (uint32_t)i);
        size_t length;
        const char *name = thread_tables_string(
            thread->tables, thread_tables_frame(thread->tables, stack->frame)->location, &length);
        double weight_ns = 0;
        for (size_t j = 0; j < thread->sample_count; j++)
            weight_ns += thread->samples[j].stack == i ? thread->samples[j].weight_ns : 0;
        seen->length +=
            (size_t)snprintf(seen->text + seen->length, sizeof(seen->text) - seen->length,
                             " %.*s=%.0f", (int)length, name, weight_ns);
    }
    seen->length +=
        (size_t)snprintf(seen->text + seen->length, sizeof(seen->text) - seen->length, "\n");
    return 0;
}

static char *profile_text;
static size_t profile_length;

static int write_text(void *context, const char *bytes, size_t count)
{
    return fwrite(bytes, 1, count, context) == count ? 0 : -EIO;
}

static void walk_profile(const struct query_answer *answer, struct seen *seen)
{
    static const struct profile_walk_events events = { .on_thread = on_thread };
    FILE *out = open_memstream(&profile_text, &profile_length);
    struct profile_facts facts;
    struct json_reader *reader;

    ck_assert_int_eq(query_profile_write(answer, 3600, 7200, write_text, out), 0);
    fclose(out);
    ck_assert_int_eq(json_reader_open_memory(profile_text, profile_length, &reader), 0);
    *seen = (struct seen){ 0 };
    ck_assert_int_eq(profile_walk(reader, &events, seen, &facts), 0);
    ck_assert_double_eq(facts.start_unix_ms, 3600 * 1000.0);
    json_reader_close(reader);
    free(profile_text);
}

START_TEST(an_answer_is_a_capture_with_all_its_cpu_time)
{
    static const char *const frames[] = { "main (in a)", "quote \" \n (in a)", "leaf (in a)" };
    struct query_answer answer;
    struct row_writer rows = { 0 };
    struct seen seen;

    query_answer_init(&answer);
    put_row(&rows, "a", "io", 'x', 7000000007, 100);
    put_row(&rows, "a", "main thread", 'x', 1000, 3);
    put_row(&rows, "a", "main thread", 'y', 90000000000000, 1);
    put_row(&rows, "a", "main thread", 'z', 50, 0);
    put_row(&rows, "b", "main thread", 'n', -5, 0);
    ck_assert_int_eq(give_bytes(&answer, &rows, query_answer_take_rows), 0);
    row_writer_clear(&rows);
    put_stack(&rows, 'x', frames, 2);
    put_stack(&rows, 'y', frames, 3);
    put_stack(&rows, 'z', frames, 0);
    put_stack(&rows, 'n', frames, 0);
    ck_assert_int_eq(give_bytes(&answer, &rows, query_answer_take_stacks), 0);
    ck_assert_uint_eq(answer.summed_rows, 25);
    walk_profile(&answer, &seen);
    ck_assert_str_eq(seen.text, "a/io main (in a)=0 quote \" \n (in a)=7000000007\n"
                                "a/GeckoMain main (in a)=0 quote \" \n (in a)=1000 leaf (in "
                                "a)=90000000000000\n"
                                "b/GeckoMain\n");
    ck_assert_double_eq(seen.not_sampled_ns, 50);
    row_writer_free(&rows);
    query_answer_fini(&answer);
}
END_TEST

static int add_allocation(void *owner, const struct profile_thread *thread)
{
    uint64_t *allocated = owner;

    for (size_t i = 0; i < thread->markers->markers.count; i++) {
        const struct table_marker *marker =
            (const struct table_marker *)thread->markers->markers.items + i;
        struct allocation_payload payload;
        const char *json = thread_markers_data(thread->markers, marker);
        ck_assert_int_eq(allocation_payload_read(json, marker->data_length,
                                                 (uint32_t)thread->tables->stacks.count, &payload),
                         1);
        ck_assert_uint_lt(payload.stack, thread->tables->stacks.count);
        *allocated += (uint64_t)payload.size_bytes;
    }
    return 0;
}

/* As markers, which exports read as well. */
START_TEST(what_was_allocated_is_in_the_capture)
{
    static const struct profile_walk_events events = { .on_thread = add_allocation,
                                                       .wants_markers = true };
    struct query_answer answer;
    struct row_writer rows = { 0 };
    struct profile_facts facts;
    struct json_reader *reader;
    uint64_t allocated = 0;

    query_answer_init(&answer);
    put_allocating_row(&rows, "a", "t", 'x', 100, 1, 4096);
    put_allocating_row(&rows, "a", "t", 'y', 0, 0, 5);
    put_row(&rows, "a", "t", 'z', 100, 1);
    ck_assert_int_eq(give_bytes(&answer, &rows, query_answer_take_rows), 0);
    FILE *out = open_memstream(&profile_text, &profile_length);
    ck_assert_int_eq(query_profile_write(&answer, 3600, 7200, write_text, out), 0);
    fclose(out);
    ck_assert_int_eq(json_reader_open_memory(profile_text, profile_length, &reader), 0);
    ck_assert_int_eq(profile_walk(reader, &events, &allocated, &facts), 0);
    ck_assert_uint_eq(allocated, 4101);
    json_reader_close(reader);
    free(profile_text);
    row_writer_free(&rows);
    query_answer_fini(&answer);
}
END_TEST

START_TEST(a_stack_that_is_gone_is_told)
{
    struct query_answer answer;
    struct row_writer rows = { 0 };
    struct seen seen;

    query_answer_init(&answer);
    put_row(&rows, "a", "t", 'x', 100, 1);
    ck_assert_int_eq(give_bytes(&answer, &rows, query_answer_take_rows), 0);
    walk_profile(&answer, &seen);
    ck_assert_str_eq(seen.text, "a/t (stack no longer kept)=100\n");
    row_writer_free(&rows);
    query_answer_fini(&answer);
}
END_TEST

START_TEST(more_samples_than_fit_stand_for_several)
{
    static const char *const frames[] = { "main" };
    struct query_answer answer;
    struct row_writer rows = { 0 };
    struct seen seen;

    query_answer_init(&answer);
    put_row(&rows, "a", "t", 'x', 1000000000000, UINT64_C(1) << 40);
    put_row(&rows, "a", "t", 'y', 3, 1);
    ck_assert_int_eq(give_bytes(&answer, &rows, query_answer_take_rows), 0);
    row_writer_clear(&rows);
    put_stack(&rows, 'x', frames, 1);
    put_stack(&rows, 'y', frames, 1);
    ck_assert_int_eq(give_bytes(&answer, &rows, query_answer_take_stacks), 0);
    walk_profile(&answer, &seen);
    ck_assert_uint_le(seen.samples, QUERY_MAX_SAMPLES + 2);
    ck_assert_str_eq(seen.text, "a/t main=1000000000003\n");
    row_writer_free(&rows);
    query_answer_fini(&answer);
}
END_TEST

START_TEST(an_answer_that_is_cut_short_or_wrong_is_refused)
{
    struct query_answer answer;
    struct row_writer rows = { 0 };

    query_answer_init(&answer);
    put_row(&rows, "a", "t", 'x', 100, 1);
    rows.bytes.count--;
    ck_assert_int_eq(give_bytes(&answer, &rows, query_answer_take_rows), -EPROTO);
    query_answer_fini(&answer);
    query_answer_init(&answer);
    row_writer_clear(&rows);
    for (int i = 0; i < 12; i++)
        row_write_bytes(&rows, "\xff", 1);
    ck_assert_int_eq(give_bytes(&answer, &rows, query_answer_take_rows), -EPROTO);
    row_writer_free(&rows);
    query_answer_fini(&answer);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.query");
    TCase *claims = tcase_create("claims");

    tcase_add_test(claims, times_are_ago_or_dates);
    tcase_add_test(claims, what_is_no_time_is_refused);
    tcase_add_test(claims, whole_hours_are_within);
    tcase_add_test(claims, an_answer_is_a_capture_with_all_its_cpu_time);
    tcase_add_test(claims, what_was_allocated_is_in_the_capture);
    tcase_add_test(claims, a_stack_that_is_gone_is_told);
    tcase_add_test(claims, more_samples_than_fit_stand_for_several);
    tcase_add_test(claims, an_answer_that_is_cut_short_or_wrong_is_refused);
    suite_add_tcase(suite, claims);
    return run_suite(suite);
}
