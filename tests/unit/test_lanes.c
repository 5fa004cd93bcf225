/* profctl.processed.lanes: processes that exited share the lanes of their programs. */
#include <check.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "profctl/convert/conversion.h"

enum { MAX_BYTES = 64 * 1024 };

/* --- A profile of processes --- */

static char profile[MAX_BYTES], written[MAX_BYTES];
static size_t profile_bytes, written_bytes;
static int processes;

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(profile + profile_bytes, MAX_BYTES - profile_bytes, format, arguments);
    va_end(arguments);
    ck_assert_int_gt(length, -1);
    profile_bytes += (size_t)length;
    ck_assert_uint_lt(profile_bytes, MAX_BYTES);
}

static void begin_profile(void)
{
    profile_bytes = 0;
    processes = 0;
    put("{\"meta\":{\"interval\":1,\"startTime\":1000},\"threads\":[],\"processes\":[");
}

/* One sample in the middle of its life, and a marker there. */
static void put_thread(const char *program, const char *name, int pid, double from, double to)
{
    double middle = (from + to) / 2;

    put("{\"name\":\"%s\",\"processName\":\"%s\",\"pid\":%d,\"tid\":%d,\"registerTime\":%g,"
        "\"unregisterTime\":%g,\"stringTable\":[\"f\",\"mark\"],",
        name, program, pid, pid, from, to);
    put("\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0]]},"
        "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0]]},");
    put("\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"threadCPUDelta\":2},"
        "\"data\":[[0,%g,1000]]},"
        "\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,"
        "\"category\":4,\"data\":5},\"data\":[[1,%g,null,0,0,{\"type\":\"t\",\"n\":%d}]]}}",
        middle, middle, pid);
}

/* A process that lives from FROM to TO; IS_LIVE: it does not end. */
static void begin_process(const char *program, int pid, double from, double to, bool is_live)
{
    put("%s{\"meta\":{\"interval\":1", processes++ > 0 ? "," : "");
    if (!is_live)
        put(",\"shutdownTime\":%g", to);
    put("},\"pausedRanges\":[{\"startTime\":%g,\"endTime\":null}],\"threads\":[", from);
    put_thread(program, "GeckoMain", pid, from, to);
}

static void end_process(int pid)
{
    put("],\"counters\":[{\"name\":\"memory\",\"category\":\"Memory\",\"description\":\"\","
        "\"samples\":{\"schema\":{\"time\":0,\"count\":1},\"data\":[[%d,1]]}}],"
        "\"profilingLog\":{\"%d\":{\"profd\":{\"verdict\":\"exited\",\"code\":3,"
        "\"commandLine\":[\"cc\",\"-c\"]}}}}",
        pid, pid);
}

static void put_process(const char *program, int pid, double from, double to)
{
    begin_process(program, pid, from, to, false);
    end_process(pid);
}

static void end_profile(void)
{
    put("]}");
}

/* --- What became of it --- */

static int write_bytes(void *context, const char *text, size_t count)
{
    (void)context;
    ck_assert_uint_lt(written_bytes + count, MAX_BYTES);
    memcpy(written + written_bytes, text, count);
    written_bytes += count;
    return 0;
}

static int on_thread(void *owner, const struct profile_thread *thread)
{
    return conversion_add(owner, thread);
}

static int on_process(void *owner, bool is_root, struct process_log *log)
{
    return conversion_add_process(owner, is_root, log);
}

static int on_counter(void *owner, const struct profile_counter *counter)
{
    return conversion_add_counter(owner, counter);
}

static int on_meta(void *owner, const char *name, const char *json, size_t length)
{
    return conversion_add_meta(owner, name, json, length);
}

/* The profile in FORMAT, in which APART processes that exited are seen by themselves. */
static cJSON *convert_to(const struct profile_format *format, size_t apart)
{
    static const struct profile_walk_events events = { .on_thread = on_thread,
                                                       .on_process = on_process,
                                                       .on_counter = on_counter,
                                                       .on_meta = on_meta,
                                                       .wants_markers = true };
    struct conversion conversion = { .format = format, .write = write_bytes };
    struct profile_facts facts;
    struct json_reader *reader;

    written_bytes = 0;
    ck_assert_int_eq(json_reader_open_memory(profile, profile_bytes, &reader), 0);
    ck_assert_int_eq(conversion_begin(&conversion), 0);
    conversion_merge_exited(&conversion, apart);
    ck_assert_int_eq(profile_walk(reader, &events, &conversion, &facts), 0);
    ck_assert_int_eq(conversion_finish(&conversion, &facts), 0);
    conversion_end(&conversion);
    json_reader_close(reader);
    cJSON *result = cJSON_ParseWithLength(written, written_bytes);
    ck_assert_ptr_nonnull(result);
    return result;
}

static cJSON *convert_profile(size_t apart)
{
    return convert_to(&format_processed, apart);
}

static const cJSON *thread_at(const cJSON *result, int index)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItem(result, "threads"), index);
}

static int thread_count(const cJSON *result)
{
    return cJSON_GetArraySize(cJSON_GetObjectItem(result, "threads"));
}

static const char *text_of(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItem(object, name));
}

static double number_of(const cJSON *object, const char *name)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItem(object, name));
}

static int length_of(const cJSON *thread, const char *table)
{
    return (int)number_of(cJSON_GetObjectItem(thread, table), "length");
}

/* Of the marker at INDEX. */
static const cJSON *column_at(const cJSON *thread, const char *column, int index)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItem(cJSON_GetObjectItem(thread, "markers"), column),
                              index);
}

/* A program of the process 7, at the end of which its clock says CPU_MS. */
static void put_program(const char *program, double from, double to, int later, double cpu_ms)
{
    begin_process(program, 7 + 1000 * later, from, to, false);
    put("],\"profilingLog\":{\"7\":{\"profd\":{\"pid\":7,\"laterImages\":%d,\"cpuTimeBefore\":0,",
        later);
    if (later > 0)
        put("\"verdict\":\"execed\",\"outcome\":\"execed\",\"cpuTime\":null,\"cpuTimeAtExec\":%g}}}"
            "}",
            cpu_ms);
    else
        put("\"verdict\":\"exited\",\"code\":0,\"cpuTime\":%g}}}}", cpu_ms);
}

static double cpu_of_payload(const cJSON *thread, int index)
{
    return number_of(column_at(thread, "data", index), "cpu");
}

START_TEST(each_program_of_a_process_has_its_own_cpu_time)
{
    begin_profile();
    put_program("cc", 10, 20, 2, 30);
    put_program("cc", 20, 30, 1, 40);
    put_program("cc", 30, 40, 0, 90);
    end_profile();
    cJSON *result = convert_profile(0);
    const cJSON *lane = thread_at(result, 0);
    double sum_ms = 0;
    int told = 0;

    for (int i = 0; i < length_of(lane, "markers"); i++) {
        double cpu_ms = cpu_of_payload(lane, i);
        told += cpu_ms == 30 || cpu_ms == 10 || cpu_ms == 50;
        sum_ms += cpu_ms >= 0 ? cpu_ms : 0;
    }
    ck_assert_int_eq(told, 3);
    ck_assert_double_eq(sum_ms, 90);
    cJSON_Delete(result);
}
END_TEST

START_TEST(processes_that_follow_each_other_are_one)
{
    begin_profile();
    put_process("cc", 7, 10, 20);
    put_process("cc", 8, 20, 30);
    put_process("cc", 9, 35, 40);
    end_profile();
    cJSON *result = convert_profile(0);
    const cJSON *lane = thread_at(result, 0);

    ck_assert_int_eq(thread_count(result), 1);
    ck_assert_str_eq(text_of(lane, "processName"), "cc (3 processes)");
    ck_assert_str_eq(text_of(lane, "pid"), "7");
    ck_assert_double_eq(number_of(lane, "registerTime"), 10);
    ck_assert_double_eq(number_of(lane, "unregisterTime"), 40);
    ck_assert_int_eq(length_of(lane, "samples"), 3);
    ck_assert_int_eq(length_of(lane, "markers"), 6);
    ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(lane, "pausedRanges")), 3);
    cJSON_Delete(result);
}
END_TEST

START_TEST(each_process_is_marked)
{
    begin_profile();
    put_process("cc", 7, 10, 20);
    put_process("cc", 8, 20, 30);
    end_profile();
    cJSON *result = convert_profile(0);
    const cJSON *lane = thread_at(result, 0), *second = column_at(lane, "data", 3);

    ck_assert_double_eq(number_of(column_at(lane, "data", 2), "n"), 8);
    ck_assert_str_eq(text_of(second, "type"), "ExitedProcess");
    ck_assert_str_eq(text_of(second, "pid"), "8");
    ck_assert_str_eq(text_of(second, "command"), "cc -c");
    ck_assert_str_eq(text_of(second, "end"), "exited with 3");
    ck_assert_double_eq(cJSON_GetNumberValue(column_at(lane, "startTime", 3)), 20);
    ck_assert_double_eq(cJSON_GetNumberValue(column_at(lane, "endTime", 3)), 30);
    cJSON_Delete(result);
}
END_TEST

START_TEST(processes_at_one_time_have_lanes_of_their_own)
{
    begin_profile();
    put_process("cc", 7, 10, 20);
    put_process("cc", 8, 15, 25);
    put_process("cc", 9, 26, 30); /* behind the one that ended last */
    put_process("ld", 10, 40, 50);
    end_profile();
    cJSON *result = convert_profile(0);

    ck_assert_int_eq(thread_count(result), 3);
    ck_assert_str_eq(text_of(thread_at(result, 0), "processName"), "cc");
    ck_assert_str_eq(text_of(thread_at(result, 1), "processName"), "cc (2 processes)");
    ck_assert_str_eq(text_of(thread_at(result, 2), "processName"), "ld");
    cJSON_Delete(result);
}
END_TEST

START_TEST(who_lives_and_who_exited_first_are_apart)
{
    begin_profile();
    put_process("cc", 7, 10, 20);
    begin_process("cc", 8, 20, 30, true);
    end_process(8);
    put_process("cc", 9, 30, 40);
    put_process("cc", 10, 40, 50);
    end_profile();
    cJSON *result = convert_profile(1);

    ck_assert_int_eq(thread_count(result), 3);
    ck_assert_str_eq(text_of(thread_at(result, 0), "pid"), "7");
    ck_assert_str_eq(text_of(thread_at(result, 1), "pid"), "8");
    ck_assert_str_eq(text_of(thread_at(result, 2), "processName"), "cc (2 processes)");
    cJSON_Delete(result);
}
END_TEST

START_TEST(threads_of_one_name_keep_their_places)
{
    begin_profile();
    for (int pid = 7; pid < 9; pid++) {
        begin_process("cc", pid, 10 * pid, 10 * pid + 5, false);
        put(",");
        put_thread("cc", "worker", pid, 10 * pid, 10 * pid + 5);
        put(",");
        put_thread("cc", "worker", pid, 10 * pid, 10 * pid + 5);
        end_process(pid);
    }
    put_process("ld", 10, 40, 50);
    end_profile();
    cJSON *result = convert_profile(0);

    ck_assert_int_eq(thread_count(result), 4);
    ck_assert_str_eq(text_of(thread_at(result, 1), "processName"), "ld");
    ck_assert_str_eq(text_of(thread_at(result, 2), "name"), "worker");
    ck_assert_int_eq(length_of(thread_at(result, 2), "samples"), 2);
    ck_assert_int_eq(length_of(thread_at(result, 3), "samples"), 2);
    cJSON_Delete(result);
}
END_TEST

START_TEST(counters_belong_to_their_lanes)
{
    begin_profile();
    put_process("cc", 7, 10, 20);
    put_process("cc", 8, 20, 30);
    put_process("ld", 9, 40, 50);
    put_process("ld", 10, 45, 55);
    end_profile();
    cJSON *result = convert_profile(1);
    const cJSON *counters = cJSON_GetObjectItem(result, "counters");
    static const int threads[] = { 0, 1, 2, 3 };
    static const char *const pids[] = { "7", "8", "9", "10" };

    ck_assert_int_eq(cJSON_GetArraySize(counters), 4);
    for (int i = 0; i < 4; i++) {
        const cJSON *counter = cJSON_GetArrayItem(counters, i);
        ck_assert_double_eq(number_of(counter, "mainThreadIndex"), threads[i]);
        ck_assert_str_eq(text_of(counter, "pid"), pids[i]);
        ck_assert_str_eq(text_of(thread_at(result, threads[i]), "pid"), pids[i]);
    }
    cJSON_Delete(result);
}
END_TEST

START_TEST(the_busiest_lanes_are_shown_first)
{
    begin_profile();
    put_process("ld", 7, 10, 20);
    put_process("cc", 8, 20, 30);
    put_process("cc", 9, 30, 40);
    end_profile();
    cJSON *result = convert_profile(0);
    const cJSON *shown =
        cJSON_GetObjectItem(cJSON_GetObjectItem(result, "meta"), "initialVisibleThreads");

    ck_assert_double_eq(cJSON_GetNumberValue(cJSON_GetArrayItem(shown, 0)), 1);
    cJSON_Delete(result);
}
END_TEST

/* The event of a trace that comes behind COUNT others with that phase and name; NULL: there is
 * none.
 */
static const cJSON *event_of(const cJSON *trace, const char *phase, const char *name, int count)
{
    const cJSON *event;

    cJSON_ArrayForEach(
        event,
        cJSON_GetObjectItem(trace, "traceEvents")) if (strcmp(text_of(event, "ph"), phase) == 0 &&
                                                       strcmp(text_of(event, "name"), name) == 0 &&
                                                       count-- == 0) return event;
    return NULL;
}

START_TEST(a_trace_has_lanes_with_an_event_of_each_process)
{
    begin_profile();
    put_process("cc", 7, 10, 20);
    put_process("cc", 8, 20, 30);
    put_process("cc", 9, 25, 30);
    end_profile();
    cJSON *trace = convert_to(&format_trace, 0);
    const cJSON *second = event_of(trace, "X", "cc", 1);

    ck_assert_double_eq(number_of(second, "pid"), 7);
    ck_assert_double_eq(number_of(second, "ts"), 20000);
    ck_assert_double_eq(number_of(second, "dur"), 10000);
    ck_assert_str_eq(text_of(cJSON_GetObjectItem(second, "args"), "pid"), "8");
    ck_assert_double_eq(number_of(event_of(trace, "X", "cc", 2), "pid"), 9);
    ck_assert_double_eq(number_of(event_of(trace, "X", "f", 1), "pid"), 7);
    ck_assert_double_eq(number_of(event_of(trace, "C", "memory", 1), "pid"), 7);
    const cJSON *name = cJSON_GetObjectItem(event_of(trace, "M", "process_name", 0), "args");
    ck_assert_str_eq(text_of(name, "name"), "cc (2 processes)");
    ck_assert_ptr_null(event_of(trace, "M", "process_name", 2));
    cJSON_Delete(trace);
}
END_TEST

START_TEST(the_markers_of_a_lane_share_a_track_of_a_trace)
{
    begin_profile();
    put_process("cc", 7, 10, 20);
    put_process("ld", 8, 10, 20);
    put_process("cc", 9, 20, 30);
    end_profile();
    cJSON *trace = convert_to(&format_trace, 0);
    double track = number_of(event_of(trace, "X", "mark", 0), "tid");

    ck_assert_double_eq(number_of(event_of(trace, "X", "mark", 1), "tid"), track + 1);
    ck_assert_double_eq(number_of(event_of(trace, "X", "mark", 2), "tid"), track);
    ck_assert_double_eq(number_of(event_of(trace, "X", "mark", 2), "pid"), 7);
    cJSON_Delete(trace);
}
END_TEST

START_TEST(a_trace_without_lanes_has_all_processes)
{
    begin_profile();
    put_process("cc", 7, 10, 20);
    put_process("cc", 8, 20, 30);
    end_profile();
    cJSON *trace = convert_to(&format_trace, SIZE_MAX);

    ck_assert_ptr_null(event_of(trace, "X", "cc", 0));
    ck_assert_double_eq(number_of(event_of(trace, "X", "f", 1), "pid"), 8);
    ck_assert_ptr_nonnull(event_of(trace, "M", "process_name", 1));
    cJSON_Delete(trace);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lanes");
    TCase *all = tcase_create("all");

    tcase_add_test(all, processes_that_follow_each_other_are_one);
    tcase_add_test(all, each_program_of_a_process_has_its_own_cpu_time);
    tcase_add_test(all, each_process_is_marked);
    tcase_add_test(all, processes_at_one_time_have_lanes_of_their_own);
    tcase_add_test(all, who_lives_and_who_exited_first_are_apart);
    tcase_add_test(all, threads_of_one_name_keep_their_places);
    tcase_add_test(all, counters_belong_to_their_lanes);
    tcase_add_test(all, the_busiest_lanes_are_shown_first);
    tcase_add_test(all, a_trace_has_lanes_with_an_event_of_each_process);
    tcase_add_test(all, the_markers_of_a_lane_share_a_track_of_a_trace);
    tcase_add_test(all, a_trace_without_lanes_has_all_processes);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
