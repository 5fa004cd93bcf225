#include <check.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/json_sinks.h"
#include "profctl/merge/merge_copy.h"
#include "profctl/merge/merge_plan.h"
#include "profctl/merge/merge_root.h"
#include "profctl/profile/profile_walk.h"
#include "tests/unit/run_suite.h"

#define OTHER         "{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}"
#define SCHEMA(label) "{\"name\":\"request\",\"tableLabel\":\"" label "\",\"data\":[]}"

/* A capture whose root, with its "meta" last, has a process 7 in it. OWN is the second category;
 * the one frame and the one marker are of it. */
static const char *capture_text(const char *start, const char *own, const char *schema,
                                char out[4096])
{
    snprintf(
        out, 4096,
        "{\"libs\":[],\"threads\":[{\"name\":\"GeckoMain\",\"processName\":\"profd\",\"pid\":6}],"
        "\"processes\":[{\"meta\":{\"version\":36,\"startTime\":%s,\"categories\":[" OTHER
        ",{\"name\":\"%s\",\"color\":\"blue\",\"subcategories\":[\"Other\",\"part\"]}],"
        "\"markerSchema\":[%s]},\"libs\":[],\"threads\":[{\"name\":\"GeckoMain\","
        "\"processName\":\"app\",\"pid\":7,\"tid\":7,\"registerTime\":1,"
        "\"stringTable\":[\"f (in lib)\",\"request\"],"
        "\"frameTable\":{\"schema\":{\"location\":0,\"category\":1,\"subcategory\":2},"
        "\"data\":[[0,1,1],[0,null,null],[0,1],[0,1,null],[0]]},"
        "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0]]},"
        "\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[0,5]]},"
        "\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,"
        "\"category\":4,\"data\":5},"
        "\"data\":[[1,2,3,1,1,{\"type\":\"request\",\"stack\":0}],[1,4,4,0,0]]}}],"
        "\"profilingLog\":{\"7\":{\"profd\":{\"pid\":7,\"parentPid\":6,\"startTime\":1}}},"
        "\"processes\":[]}],\"meta\":{\"version\":36,\"startTime\":%s,\"product\":\"profd\","
        "\"oscpu\":\"Linux\",\"categories\":[" OTHER "],\"markerSchema\":[],"
        "\"profilingStartTime\":0,\"profilingEndTime\":10,\"interval\":1}}",
        start, own, schema, start);
    return out;
}

static struct merge_source sources[2];
static struct merge_lists lists;
static char *merged_text;
static cJSON *merged;

static void tear_down(void)
{
    merge_source_free(&sources[0]);
    merge_source_free(&sources[1]);
    merge_lists_free(&lists);
    cJSON_Delete(merged);
    free(merged_text);
}

static int look_at_source(struct merge_source *source, const char *path, const char *text)
{
    struct json_reader *reader;
    merge_source_init(source, path);
    ck_assert_int_eq(json_reader_open_memory(text, strlen(text), &reader), 0);
    int error = merge_source_read(source, reader, &lists.categories, &lists.schemas);
    json_reader_close(reader);
    return error;
}

static void copy_with(const struct merge_source *source, const char *text,
                      struct json_writer *writer, int (*copy_part)(const struct merge_copy *copy))
{
    struct json_reader *reader;
    ck_assert_int_eq(json_reader_open_memory(text, strlen(text), &reader), 0);
    const struct merge_copy copy = { reader, writer, source, &lists };
    ck_assert_int_eq(copy_part(&copy), 0);
    json_reader_close(reader);
}

/* As the command does, with OFFSETS. */
static void merge_captures(const char *first, const char *second, const char *offsets)
{
    const char *const texts[] = { first, second };
    struct failure failure = { 0 };
    struct failure_latch latch;
    struct json_writer writer;
    size_t bytes;

    ck_assert_int_eq(look_at_source(&sources[0], "one.json", first), 0);
    ck_assert_int_eq(look_at_source(&sources[1], "two.json", second), 0);
    ck_assert(merge_plan_hosts(sources, 2, NULL, &failure));
    ck_assert(merge_plan_offsets(sources, 2, offsets, &failure));
    ck_assert_int_eq(merge_plan_pids(sources, 2), 0);
    const struct merge_span span = merge_plan_span(sources, 2);
    FILE *out = open_memstream(&merged_text, &bytes);
    failure_latch_init(&latch);
    json_writer_init_sink(&writer, json_sink_file, out, &latch);
    ck_assert_int_eq(merge_root_begin(&writer, sources, 2, &span, &lists), 0);
    for (int i = 0; i < 2; i++) {
        copy_with(&sources[i], texts[i], &writer, merge_copy_root);
        copy_with(&sources[i], texts[i], &writer, merge_copy_processes);
    }
    merge_root_end(&writer);
    ck_assert_int_eq(json_writer_flush(&writer), 0);
    json_writer_fini(&writer);
    fclose(out);
    merged = cJSON_Parse(merged_text);
    ck_assert_ptr_nonnull(merged);
}

#define FIRST_START "1700000000000.5"

/* A capture that began at FIRST_START, and one that began at SECOND_START and has OWN and SCHEMA.
 */
static void merge_second(const char *second_start, const char *own, const char *schema,
                         const char *offsets)
{
    char first[4096], second[4096];

    merge_captures(capture_text(FIRST_START, "Own", SCHEMA("a"), first),
                   capture_text(second_start, own, schema, second), offsets);
}

/* The value at a path of keys and indices: "processes.1.meta.startTime". */
static const cJSON *value_at(const char *path)
{
    const cJSON *value = merged;
    char copy[256];
    snprintf(copy, sizeof(copy), "%s", path);
    for (char *word = strtok(copy, "."); word != NULL; word = strtok(NULL, "."))
        value = cJSON_IsArray(value) ? cJSON_GetArrayItem(value, atoi(word))
                                     : cJSON_GetObjectItemCaseSensitive(value, word);
    ck_assert_msg(value != NULL, "no %s", path);
    return value;
}

static void is_text(const char *path, const char *text)
{
    ck_assert_str_eq(cJSON_GetStringValue(value_at(path)), text);
}

static void is_number(const char *path, double number)
{
    ck_assert_double_eq_tol(value_at(path)->valuedouble, number, 1e-3);
}

static void is_json(const char *path, const char *json)
{
    char *text = cJSON_PrintUnformatted(value_at(path));
    ck_assert_str_eq(text, json);
    free(text);
}

START_TEST(roots_become_processes_beside_the_others)
{
    merge_second("1700000002000.25", "Own", SCHEMA("a"), NULL);
    ck_assert_int_eq(cJSON_GetArraySize(value_at("processes")), 4);
    is_text("processes.0.threads.0.processName", "one: profd");
    is_text("processes.1.threads.0.processName", "one: app");
    is_text("processes.2.threads.0.processName", "two: profd");
    is_text("processes.3.threads.0.processName", "two: app");
    is_json("threads", "[]");
    is_json("processes.2.processes", "[]");
}
END_TEST

START_TEST(times_stay_and_starts_tell_where_they_are)
{
    merge_second("1700000002000.25", "Own", SCHEMA("a"), "two:-3s");
    is_number("meta.startTime", 1699999999000.25);
    is_number("meta.profilingStartTime", 0);
    is_number("meta.profilingEndTime", 1010.25);
    is_number("processes.1.meta.startTime", 1700000000000.5);
    is_number("processes.2.meta.startTime", 1699999999000.25);
    is_number("processes.3.meta.startTime", 1699999999000.25);
    is_json("processes.3.threads.0.samples.data", "[[0,5]]");
}
END_TEST

START_TEST(process_ids_are_distinct)
{
    merge_second("1700000000000", "Own", SCHEMA("a"), NULL);
    is_number("processes.1.threads.0.pid", 7);
    is_number("processes.3.threads.0.pid", 10000007);
    is_number("processes.3.threads.0.tid", 7);
    is_number("processes.3.profilingLog.10000007.profd.pid", 10000007);
    is_number("processes.3.profilingLog.10000007.profd.parentPid", 10000006);
    is_number("processes.1.profilingLog.7.profd.pid", 7);
}
END_TEST

START_TEST(categories_are_those_of_the_whole_file)
{
    merge_second("1700000000000", "Another", SCHEMA("a"), NULL);
    is_text("meta.categories.1.name", "Own");
    is_text("meta.categories.2.name", "Another");
    is_text("processes.3.meta.categories.2.name", "Another");
    is_json("processes.1.threads.0.frameTable.data",
            "[[0,1,1],[0,null,null],[0,1],[0,1,null],[0]]");
    is_json("processes.3.threads.0.frameTable.data",
            "[[0,2,1],[0,null,null],[0,2],[0,2,null],[0]]");
    is_number("processes.3.threads.0.markers.data.0.4", 2);
    is_json("processes.3.threads.0.markers.data.1", "[1,4,4,0,0]");
}
END_TEST

START_TEST(another_type_of_marker_has_another_name)
{
    merge_second("1700000000000", "Own", SCHEMA("b"), NULL);
    is_text("meta.markerSchema.0.name", "request");
    is_text("meta.markerSchema.1.name", "request (2)");
    is_text("processes.3.meta.markerSchema.0.name", "request (2)");
    is_json("processes.1.threads.0.markers.data.0.5", "{\"type\":\"request\",\"stack\":0}");
    is_json("processes.3.threads.0.markers.data.0.5", "{\"type\":\"request (2)\",\"stack\":0}");
}
END_TEST

START_TEST(what_is_of_one_machine_stays_with_it)
{
    merge_second("1700000000000", "Own", SCHEMA("a"), NULL);
    ck_assert(!cJSON_HasObjectItem(value_at("meta"), "oscpu"));
    is_text("meta.product", "profd");
    is_text("processes.2.meta.oscpu", "Linux");
    ck_assert(!cJSON_HasObjectItem(value_at("processes.2.meta"), "profilingEndTime"));
    /* The second process' clock was told by its root. */
    is_number("processes.3.meta.interval", 1);
}
END_TEST

/* --- As our own reader sees it --- */

struct seen {
    int profd_threads, threads;
    double sample_ms, marker_ms, register_ms, log_ms; /* of the last */
};

static int on_thread(void *owner, const struct profile_thread *thread)
{
    struct seen *seen = owner;
    if (profile_thread_is_of_profd(thread)) {
        seen->profd_threads++;
        return 0;
    }
    seen->threads++;
    seen->sample_ms = thread->samples[0].time_ms;
    seen->marker_ms = ((struct table_marker *)thread->markers->markers.items)[0].end_ms;
    seen->register_ms = thread->register_ms;
    return 0;
}

static int on_process(void *owner, bool is_root, struct process_log *log)
{
    struct seen *seen = owner;
    if (!is_root && log->pid >= 0)
        seen->log_ms = log->start_ms;
    return 0;
}

START_TEST(the_reader_puts_all_on_one_time_line)
{
    static const struct profile_walk_events events = { .on_thread = on_thread,
                                                       .on_process = on_process,
                                                       .wants_markers = true };
    struct profile_facts facts;
    struct json_reader *reader;
    struct seen seen = { 0 };

    merge_second("1700000002000.25", "Own", SCHEMA("a"), NULL);
    ck_assert_int_eq(json_reader_open_memory(merged_text, strlen(merged_text), &reader), 0);
    ck_assert_int_eq(profile_walk(reader, &events, &seen, &facts), 0);
    json_reader_close(reader);
    ck_assert_int_eq(seen.profd_threads, 2);
    ck_assert_int_eq(seen.threads, 2);
    ck_assert_double_eq_tol(seen.sample_ms, 2004.75, 1e-3);
    ck_assert_double_eq_tol(seen.marker_ms, 2002.75, 1e-3);
    ck_assert_double_eq_tol(seen.register_ms, 2000.75, 1e-3);
    ck_assert_double_eq_tol(seen.log_ms, 2000.75, 1e-3);
}
END_TEST

START_TEST(what_is_no_profile_is_refused)
{
    static const char *const wrong[] = {
        "[]",
        "{}",
        "{\"meta\":{},\"threads\":[]}",
        "{\"meta\":{\"version\":36},\"threads\":[]}",
        "{\"meta\":{\"version\":36,\"startTime\":1}}",
        "{\"meta\":{\"version\":36,\"startTime\":1},\"threads\":{}}",
        "{\"meta\":{\"version\":36,\"startTime\":1},\"threads\":[],\"processes\":7}",
        "{\"meta\":{\"version\":36,\"startTime\":1},\"meta\":{},\"threads\":[]}",
        "{\"meta\":{\"version\":36,\"startTime\":1},\"threads\":[]} 1",
        "{\"meta\":{\"version\":36,\"startTime\":1},\"threads\":[",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        ck_assert_msg(look_at_source(&sources[0], "x", wrong[i]) == -EPROTO, "%s", wrong[i]);
        merge_source_free(&sources[0]);
    }
    ck_assert_int_eq(look_at_source(&sources[0], "x",
                                    "{\"meta\":{\"version\":36,\"startTime\":1},\"threads\":[]}"),
                     0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.merge");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, NULL, tear_down);
    tcase_add_test(all, roots_become_processes_beside_the_others);
    tcase_add_test(all, times_stay_and_starts_tell_where_they_are);
    tcase_add_test(all, process_ids_are_distinct);
    tcase_add_test(all, categories_are_those_of_the_whole_file);
    tcase_add_test(all, another_type_of_marker_has_another_name);
    tcase_add_test(all, what_is_of_one_machine_stays_with_it);
    tcase_add_test(all, the_reader_puts_all_on_one_time_line);
    tcase_add_test(all, what_is_no_profile_is_refused);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
