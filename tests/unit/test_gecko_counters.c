/* json.gecko_counters: what a sampler wrote of counters, as the graphs that viewers draw. */
#include "json/gecko/gecko_root.h"
#include "tests/unit/gecko_counters_scene.h"
#include "tests/unit/run_suite.h"

static void put_entry(size_t (*write)(uint8_t *out))
{
    uint8_t entry[COUNTERS_ENTRY_MAX_BYTES];
    size_t bytes = write(entry);
    ck_assert_uint_gt(bytes, 0);
    ck_assert_int_eq(sample_encoder_put(own.encoder, entry, bytes), 0);
    memcpy(own.written, own.now, sizeof(own.now));
}

/* The totals of the first two counters, as of the latest tick. */
static size_t write_totals(uint8_t *out)
{
    return counter_totals_entry_write(out, 0, own.now, UNTOLD);
}

/* What changed since, a hair before the next tick. */
static size_t write_changes(uint8_t *out)
{
    return counters_entry_write(out, ticks_of_ms(0.9), own.written, own.now, COUNTERS);
}

static const cJSON *find_counter(const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, get_member(own.profile, "counters"))
    {
        if (strcmp(get_member(item, "name")->valuestring, name) == 0)
            return item;
    }
    return NULL;
}

/* The rows of a counter are WANTED: time, count and number of each. */
static void rows_are(const char *name, const double (*wanted)[3], int count)
{
    const cJSON *rows = get_member(get_member(find_counter(name), "samples"), "data");
    ck_assert_int_eq(cJSON_GetArraySize(rows), count);
    for (int i = 0; i < count; i++) {
        const cJSON *row = cJSON_GetArrayItem(rows, i);
        ck_assert_double_eq_tol(cJSON_GetArrayItem(row, 0)->valuedouble, wanted[i][0], 0.2);
        ck_assert_double_eq(cJSON_GetArrayItem(row, 1)->valuedouble, wanted[i][1]);
        ck_assert_double_eq(cJSON_GetArrayItem(row, 2)->valuedouble, wanted[i][2]);
    }
}

START_TEST(changes_are_rows_and_what_stands_still_is_not)
{
    static const double wanted[][3] = { { 0, 0, 0 },  { 10, 0, 0 },  { 11, 5, 2 },
                                        { 19, 0, 0 }, { 20, -3, 1 }, { 30, 0, 0 } };
    encode_tick(10);
    put_entry(write_totals);
    own.now[WORK] = (struct counter_total){ 5, 2 };
    put_entry(write_changes);
    for (uint64_t ms = 11; ms <= 19; ms++)
        encode_tick(ms);
    own.now[WORK] = (struct counter_total){ 2, 3 };
    put_entry(write_changes);
    for (uint64_t ms = 20; ms <= 30; ms++)
        encode_tick(ms);
    make_profile();
    rows_are("work", wanted, 6);
    ck_assert_str_eq(get_member(find_counter("work"), "category")->valuestring, "Work");
    ck_assert_str_eq(get_member(find_counter("work"), "description")->valuestring,
                     "what was \"done\"");
    ck_assert_ptr_null(find_counter("untold"));
}
END_TEST

/* What came before is a level's beginning, and nothing to a rate. */
START_TEST(totals_are_where_a_level_begins)
{
    static const double work[][3] = { { 0, 0, 0 }, { 10, 0, 0 }, { 11, 1, 1 } };
    static const double memory[][3] = { { 0, 4096, 8 }, { 10, 0, 0 }, { 11, -96, 1 } };
    own.now[WORK] = (struct counter_total){ 1000, 1000 };
    own.now[MEMORY] = (struct counter_total){ 4096, 8 };
    encode_tick(10);
    put_entry(write_totals);
    own.now[WORK] = (struct counter_total){ 1001, 1001 };
    own.now[MEMORY] = (struct counter_total){ 4000, 9 };
    put_entry(write_changes);
    make_profile();
    rows_are("work", work, 3);
    rows_are("heap", memory, 3);
}
END_TEST

/* A chunk that was lost took its changes along; the next one's totals make up for them. */
START_TEST(totals_make_up_for_changes_that_were_lost)
{
    static const double wanted[][3] = { { 0, 0, 0 }, { 10, 0, 0 }, { 11, 1, 1 }, { 20, 41, 1 } };
    encode_tick(10);
    put_entry(write_totals);
    own.now[WORK] = (struct counter_total){ 1, 1 };
    put_entry(write_changes);
    encode_tick(11);
    encode_tick(20);
    own.now[WORK] = (struct counter_total){ 42, 2 };
    put_entry(write_totals);
    make_profile();
    rows_are("work", wanted, 4);
}
END_TEST

START_TEST(a_counter_that_comes_later_begins_then)
{
    static const double wanted[][3] = { { 11, 0, 0 }, { 12, 7, 1 } };
    encode_tick(10);
    put_entry(write_totals);
    encode_tick(11);
    own.now[UNTOLD] = (struct counter_total){ 7, 1 };
    put_entry(write_changes);
    make_profile();
    rows_are("untold", wanted, 2);
}
END_TEST

START_TEST(what_was_before_the_capture_is_left_out)
{
    static const double work[][3] = { { 15, 0, 0 }, { 20, 0, 0 }, { 21, 3, 1 }, { 21, 0, 0 } };
    static const double memory[][3] = { { 15, 100, 1 }, { 21, 0, 0 } };
    own.options.since_ns = own.start.monotonic_ns + 15 * MS;
    encode_tick(10);
    put_entry(write_totals);
    own.now[WORK] = (struct counter_total){ 5, 2 };
    own.now[MEMORY] = (struct counter_total){ 100, 1 };
    put_entry(write_changes);
    encode_tick(20);
    own.now[WORK] = (struct counter_total){ 8, 3 };
    put_entry(write_changes);
    encode_tick(21);
    make_profile();
    rows_are("work", work, 4);
    rows_are("heap", memory, 2);
}
END_TEST

START_TEST(counters_without_a_record_are_bad_entries)
{
    struct counter_total now[COUNTERS_MAX] = { [COUNTERS_MAX - 1] = { 1, 1 } };
    struct counter_total before[COUNTERS_MAX] = { 0 };
    uint8_t entry[COUNTERS_ENTRY_MAX_BYTES];
    size_t bytes = counters_entry_write(entry, 1, before, now, COUNTERS_MAX);
    dictionary_put_counter(&own.dictionary, COUNTERS_MAX, "beyond", "Work", "");
    encode_tick(10);
    ck_assert_int_eq(sample_encoder_put(own.encoder, entry, bytes), 0);
    make_profile();
    const cJSON *log =
        get_member(get_member(get_member(own.profile, "profilingLog"), "4242"), "profd");
    ck_assert_double_eq(get_member(log, "badBlocks")->valuedouble, 2);
    ck_assert_int_eq(cJSON_GetArraySize(get_member(own.profile, "counters")), 0);
}
END_TEST

START_TEST(the_machine_has_counters_in_the_root)
{
    static const struct gecko_root_sample samples[] = {
        { 1 * 1000000, 7 }, { 11 * 1000000, 0 }, { 12 * 1000000, 5 }, { 99 * 1000000, 3 }
    };
    static const struct gecko_root_counter machine = {
        .name = "Power: core",
        .category = "power",
        .description = "energy",
        .samples = samples,
        .sample_count = 4,
    };
    static const double wanted[][3] = { { 1, 0, 0 }, { 2, 5, 0 } };
    struct gecko_root_options root = {
        .reference_ns = 10 * MS,
        .session_start_ns = 10 * MS,
        .capture_ns = 50 * MS,
        .pid = 77,
        .counters = &machine,
        .counter_count = 1,
        .obstacle = "something else is not there",
    };
    struct text text = { 0 };
    struct failure_latch latch;
    struct json_writer writer;
    failure_latch_init(&latch);
    json_writer_init_sink(&writer, append_text, &text, &latch);
    gecko_root_begin(&writer, &root);
    gecko_root_end(&writer, &root, NULL);
    ck_assert_int_eq(json_writer_flush(&writer), 0);
    json_writer_fini(&writer);
    own.profile = parse_json(&text);
    rows_are("Power: core", wanted, 2);
    const cJSON *log = get_member(get_member(get_member(own.profile, "profilingLog"), "77"), "log");
    ck_assert_str_eq(get_member(cJSON_GetArrayItem(log, 0), "text")->valuestring, root.obstacle);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json.gecko_counters");
    TCase *rows = tcase_create("rows");
    tcase_add_checked_fixture(rows, set_up, tear_down);
    tcase_add_test(rows, changes_are_rows_and_what_stands_still_is_not);
    tcase_add_test(rows, totals_are_where_a_level_begins);
    tcase_add_test(rows, totals_make_up_for_changes_that_were_lost);
    tcase_add_test(rows, a_counter_that_comes_later_begins_then);
    tcase_add_test(rows, what_was_before_the_capture_is_left_out);
    tcase_add_test(rows, counters_without_a_record_are_bad_entries);
    suite_add_tcase(suite, rows);
    TCase *machine = tcase_create("machine");
    tcase_add_checked_fixture(machine, set_up, tear_down);
    tcase_add_test(machine, the_machine_has_counters_in_the_root);
    suite_add_tcase(suite, machine);
    return run_suite(suite);
}
