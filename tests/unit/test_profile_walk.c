/* profctl.profile_walk: what those who ask for it are told beside threads: markers, counters, the
 * rest of "meta", and what became of processes. */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "profctl/profile/profile_walk.h"
#include "tests/unit/run_suite.h"

#define STRINGS "\"stringTable\":[\"paint\",\"\",\"click\"]"
#define MARKER_SCHEMA                                                                              \
    "\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,\"category\":4,\"data\":5}"
#define THREAD(markers)                                                                            \
    "{\"name\":\"GeckoMain\",\"registerTime\":2,\"unregisterTime\":null," STRINGS ","              \
    "\"markers\":{" MARKER_SCHEMA ",\"data\":[" markers "]}}"
#define COUNTER                                                                                    \
    "{\"name\":\"fds\",\"category\":\"Files\",\"description\":\"open\",\"samples\":{\"schema\":"   \
    "{\"time\":0,\"count\":1},\"data\":[[1,5],[2,-3]]}}"
#define LOG                                                                                        \
    "{\"7\":{\"profd\":{\"verdict\":\"exited\",\"executable\":\"/bin/true\",\"commandLine\":"      \
    "[\"true\",\"--help me\"],\"startTime\":2.5,\"parentPid\":3}}}"
#define PROFILE(markers)                                                                           \
    "{\"meta\":{\"startTime\":1,\"interval\":1,\"product\":\"it\",\"categories\":[{\"name\":"      \
    "\"Other\"}]},\"threads\":[" THREAD(markers) "],\"counters\":[" COUNTER                        \
                                                 "],\"profilingLog\":" LOG "}"

struct heard {
    struct table_marker markers[8];
    size_t marker_count;
    char data[8][64];
    double register_ms, unregister_ms;
    char counter[128], meta[256], command_line[64], executable[64];
    double parent_pid, start_ms, end_ms;
    bool knows_cpu;
    double cpu_ns;   /* of the first sample */
    char order[16];  /* t, c, p: a thread, a counter, a process; T and P: of the root */
    char error[256]; /* what the reader said */
};

static void note_event(struct heard *heard, char what)
{
    size_t used = strlen(heard->order);

    ck_assert_uint_lt(used + 1, sizeof(heard->order));
    heard->order[used] = what;
}

static int on_thread(void *owner, const struct profile_thread *thread)
{
    struct heard *heard = owner;
    const struct table_marker *markers = thread->markers->markers.items;

    note_event(heard, thread->is_of_root ? 'T' : 't');
    heard->marker_count = thread->markers->markers.count;
    ck_assert_uint_le(heard->marker_count, 8);
    for (size_t i = 0; i < heard->marker_count; i++) {
        const char *data = thread_markers_data(thread->markers, &markers[i]);
        heard->markers[i] = markers[i];
        snprintf(heard->data[i], sizeof(heard->data[i]), "%.*s", (int)markers[i].data_length,
                 data != NULL ? data : "");
    }
    heard->knows_cpu = thread->knows_cpu;
    heard->cpu_ns = thread->sample_count > 0 ? thread->samples[0].cpu_ns : 0;
    heard->register_ms = thread->register_ms;
    heard->unregister_ms = thread->unregister_ms;
    return 0;
}

static int on_counter(void *owner, const struct profile_counter *counter)
{
    struct heard *heard = owner;
    const struct counter_sample *samples = counter->samples.items;

    note_event(heard, 'c');
    ck_assert_uint_eq(counter->samples.count, 2);
    snprintf(heard->counter, sizeof(heard->counter), "%s %s %s %g:%g %g:%g", counter->name,
             counter->category, counter->description, samples[0].time_ms, samples[0].count,
             samples[1].time_ms, samples[1].count);
    return 0;
}

static int on_meta(void *owner, const char *name, const char *json, size_t length)
{
    struct heard *heard = owner;
    size_t used = strlen(heard->meta);

    snprintf(heard->meta + used, sizeof(heard->meta) - used, "%s=%.*s;", name, (int)length, json);
    return 0;
}

static int on_process(void *owner, bool is_root, struct process_log *log)
{
    struct heard *heard = owner;

    note_event(heard, is_root ? 'P' : 'p');
    if (log->executable == NULL)
        return 0;
    snprintf(heard->command_line, sizeof(heard->command_line), "%s", process_log_command_line(log));
    snprintf(heard->executable, sizeof(heard->executable), "%s", log->executable);
    heard->parent_pid = log->parent_pid;
    heard->start_ms = log->start_ms;
    heard->end_ms = log->end_ms;
    return 0;
}

static int walk_over(const char *text, bool wants_markers, struct heard *heard)
{
    const struct profile_walk_events events = {
        .on_thread = on_thread,
        .on_process = on_process,
        .on_counter = on_counter,
        .on_meta = on_meta,
        .wants_markers = wants_markers,
    };
    struct json_reader *reader;
    struct profile_facts facts;

    memset(heard, 0, sizeof(*heard));
    ck_assert_int_eq(json_reader_open_memory(text, strlen(text), &reader), 0);
    int error = profile_walk(reader, &events, heard, &facts);
    snprintf(heard->error, sizeof(heard->error), "%s", json_reader_error(reader));
    json_reader_close(reader);
    return error;
}

START_TEST(markers_have_times_by_their_phase_and_their_payload)
{
    struct heard heard;
    ck_assert_int_eq(walk_over(PROFILE("[0,1.5,null,0,3,{\"type\":\"a\",\"list\":[1,{}]}],"
                                       "[2,1,4,1,0,null],[0,2,null,2,0],[0,null,9,3,0,\"text\"]"),
                               true, &heard),
                     0);
    ck_assert_uint_eq(heard.marker_count, 4);
    ck_assert_int_eq(heard.markers[0].phase, PHASE_INSTANT);
    ck_assert_double_eq(heard.markers[0].end_ms, 1.5);
    ck_assert_uint_eq(heard.markers[0].category, 3);
    ck_assert_str_eq(heard.data[0], "{\"type\":\"a\",\"list\":[1,{}]}");
    ck_assert_uint_eq(heard.markers[1].name, 2);
    ck_assert_double_eq(heard.markers[1].start_ms, 1);
    ck_assert_double_eq(heard.markers[1].end_ms, 4);
    ck_assert_str_eq(heard.data[1], "");
    ck_assert_double_eq(heard.markers[2].end_ms, 2);
    ck_assert_double_eq(heard.markers[3].start_ms, 9);
    ck_assert_str_eq(heard.data[3], "");
}
END_TEST

START_TEST(markers_that_cannot_be_are_refused)
{
    static const char *const wrong[] = {
        PROFILE("[3,1,null,0,0,null]"), PROFILE("[0,null,null,0,0,null]"),
        PROFILE("[0,1,null,1,0,null]"), PROFILE("[0,1,null,3,0,null]"),
        PROFILE("[0,1,null,4,0,null]"), PROFILE("[0,1,null,0,null,null]"),
    };
    struct heard heard;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        ck_assert_int_eq(walk_over(wrong[i], true, &heard), -EPROTO);
        unsigned end = (unsigned)(strstr(wrong[i], "null]]}") + strlen("null]") - wrong[i]);
        unsigned told = 0;
        ck_assert_int_eq(sscanf(heard.error, "byte %u: the marker", &told), 1);
        ck_assert_uint_eq(told, end);
        ck_assert_int_eq(walk_over(wrong[i], false, &heard), 0);
        ck_assert_uint_eq(heard.marker_count, 0);
    }
}
END_TEST

/* --- What is no profile, or tells what is not known --- */

#define SAMPLED(meta_first, meta_last)                                                             \
    "{" meta_first                                                                                 \
    "\"threads\":[{\"name\":\"t\",\"stringTable\":[\"f\"],\"frameTable\":{\"schema\":"             \
    "{\"location\":0},\"data\":[[0]]},\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},"      \
    "\"data\":[[null,0]]},\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"threadCPUDelta\":2},"  \
    "\"data\":[[0,1,7]]}}]" meta_last "}"
#define UNIT(unit) "\"meta\":{\"sampleUnits\":{\"threadCPUDelta\":\"" unit "\"}}"

static void expect_refusal(const char *text, const char *reason)
{
    struct heard heard;

    ck_assert_int_eq(walk_over(text, false, &heard), -EPROTO);
    ck_assert_msg(strstr(heard.error, reason) != NULL, "%s", heard.error);
}

START_TEST(what_is_no_profile_is_refused)
{
    expect_refusal("{}", "neither \"threads\" nor \"processes\"");
    expect_refusal("{\"name\":\"foo\",\"traceEvents\":[]}",
                   "neither \"threads\" nor \"processes\"");
    expect_refusal("{\"meta\":{\"preprocessedProfileVersion\":50},\"threads\":[]}",
                   "processed profile");
    expect_refusal("{\"threads\":[{\"samples\":{\"schema\":{},\"data\":[]}}]}",
                   "\"samples\" without the tables that it refers to");
}
END_TEST

/* As Firefox writes it: what is referred to comes last. */
#define BACKWARDS(samples, rest)                                                                   \
    "{\"meta\":{\"interval\":1,\"sampleUnits\":{\"threadCPUDelta\":\"ns\"}},\"threads\":[{"        \
    "\"name\":"                                                                                    \
    "\"GeckoMain\",\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"threadCPUDelta\":2},"         \
    "\"data\":[" samples "]},\"markers\":{" MARKER_SCHEMA                                          \
    ",\"data\":[[1,5,null,0,0,{\"type\":\"a\"}]]},"                                                \
    "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0]]},"                  \
    "\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0]]}" rest "}]}"

START_TEST(tables_may_come_behind_what_refers_to_them)
{
    struct heard heard;

    ck_assert_int_eq(
        walk_over(BACKWARDS("[0,1,7]", ",\"stringTable\":[\"f\",\"mark\"]"), true, &heard), 0);
    ck_assert(heard.knows_cpu);
    ck_assert_double_eq(heard.cpu_ns, 7);
    ck_assert_uint_eq(heard.marker_count, 1);
    ck_assert_uint_eq(heard.markers[0].name, 1);
    ck_assert_str_eq(heard.data[0], "{\"type\":\"a\"}");
}
END_TEST

/* Firefox tells the counters of a process before its threads; listeners hear of them behind. */
START_TEST(counters_are_told_behind_threads)
{
    struct heard heard;

    ck_assert_int_eq(walk_over("{\"meta\":{},\"counters\":[" COUNTER "],\"threads\":[" THREAD(
                                   "") "],\"processes\":[{\"counters\":[" COUNTER
                                       "],\"threads\":[" THREAD("") "]}]}",
                               true, &heard),
                     0);
    ck_assert_str_eq(heard.order, "TtcpcP");
    expect_refusal("{\"counters\":[7],\"threads\":[]}",
                   "invalid \"counters\" in the process that ends here");
}
END_TEST

START_TEST(what_refers_to_nothing_is_refused_also_there)
{
    expect_refusal(BACKWARDS("[1,1,7]", ",\"stringTable\":[\"f\",\"mark\"]"),
                   "invalid \"samples\" in the thread that ends here");
    expect_refusal(BACKWARDS("[0,1,7]", ""), "\"frameTable\" without the tables that it refers to");
    expect_refusal(BACKWARDS("[0,1,7]", ",\"samples\":{},\"stringTable\":[\"f\",\"mark\"]"),
                   "\"samples\" is given twice");
}
END_TEST

static double cpu_ns_of(const char *text)
{
    struct heard heard;

    ck_assert_int_eq(walk_over(text, false, &heard), 0);
    return heard.knows_cpu ? heard.cpu_ns : -1;
}

START_TEST(cpu_time_has_the_unit_that_is_told)
{
    ck_assert_double_eq(cpu_ns_of(SAMPLED(UNIT("ns") ",", "")), 7);
    ck_assert_double_eq(cpu_ns_of(SAMPLED(UNIT("us") ",", "")), 7000);
    ck_assert_double_eq(cpu_ns_of(SAMPLED(UNIT("\u00b5s") ",", "")), 7000);
    ck_assert_double_eq(cpu_ns_of(SAMPLED("", "")), 7000);
    ck_assert_double_eq(cpu_ns_of(SAMPLED(UNIT("variable CPU cycles") ",", "")), -1);
    ck_assert_double_eq(cpu_ns_of(SAMPLED("", "," UNIT("us"))), 7000);
    expect_refusal(SAMPLED("", "," UNIT("ns")), "comes after samples and changes their unit");
}
END_TEST

START_TEST(counters_meta_and_the_process_are_told)
{
    struct heard heard;
    ck_assert_int_eq(walk_over(PROFILE(""), true, &heard), 0);
    ck_assert_str_eq(heard.counter, "fds Files open 1:5 2:-3");
    ck_assert_str_eq(heard.meta, "product=\"it\";categories=[{\"name\":\"Other\"}];");
    ck_assert_str_eq(heard.command_line, "true --help me");
    ck_assert_str_eq(heard.executable, "/bin/true");
    ck_assert_double_eq(heard.parent_pid, 3);
    ck_assert_double_eq(heard.start_ms, 2.5);
    ck_assert(isnan(heard.end_ms));
    ck_assert_double_eq(heard.register_ms, 2);
    ck_assert(isnan(heard.unregister_ms));
}
END_TEST

START_TEST(nobody_has_to_listen)
{
    const struct profile_walk_events events = { .on_thread = on_thread };
    struct json_reader *reader;
    struct profile_facts facts;
    struct heard heard = { 0 };
    const char *text = PROFILE("");
    ck_assert_int_eq(json_reader_open_memory(text, strlen(text), &reader), 0);
    ck_assert_int_eq(profile_walk(reader, &events, &heard, &facts), 0);
    ck_assert_double_eq(facts.start_unix_ms, 1);
    json_reader_close(reader);
}
END_TEST

static int check_delays(void *owner, const struct profile_thread *thread)
{
    size_t *count = owner;

    *count = thread->sample_count;
    ck_assert_double_eq(thread->samples[0].event_delay_ms, 0);
    ck_assert_double_eq(thread->samples[1].event_delay_ms, 40.5);
    ck_assert_double_eq(thread->samples[2].event_delay_ms, 0);
    return 0;
}

START_TEST(samples_tell_of_event_delay)
{
    const struct profile_walk_events events = { .on_thread = check_delays };
    static const char text[] = "{\"threads\":[{\"stringTable\":[],\"frameTable\":{\"schema\":"
                               "{\"location\":0},\"data\":[]},\"stackTable\":{\"schema\":"
                               "{\"prefix\":0,\"frame\":1},\"data\":[]},\"samples\":{\"schema\":"
                               "{\"stack\":0,\"time\":1,\"eventDelay\":2},\"data\":"
                               "[[null,1,null],[null,2,40.5],[null,3,-1]]}}]}";
    struct json_reader *reader;
    struct profile_facts facts;
    size_t count = 0;
    ck_assert_int_eq(json_reader_open_memory(text, strlen(text), &reader), 0);
    ck_assert_int_eq(profile_walk(reader, &events, &count, &facts), 0);
    ck_assert_uint_eq(count, 3);
    json_reader_close(reader);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profile_walk");
    TCase *telling = tcase_create("telling");
    tcase_add_test(telling, markers_have_times_by_their_phase_and_their_payload);
    tcase_add_test(telling, markers_that_cannot_be_are_refused);
    tcase_add_test(telling, what_is_no_profile_is_refused);
    tcase_add_test(telling, counters_are_told_behind_threads);
    tcase_add_test(telling, tables_may_come_behind_what_refers_to_them);
    tcase_add_test(telling, what_refers_to_nothing_is_refused_also_there);
    tcase_add_test(telling, cpu_time_has_the_unit_that_is_told);
    tcase_add_test(telling, counters_meta_and_the_process_are_told);
    tcase_add_test(telling, nobody_has_to_listen);
    tcase_add_test(telling, samples_tell_of_event_delay);
    suite_add_tcase(suite, telling);
    return run_suite(suite);
}
