/* json.gecko_process: what a profile tells of the process as a whole, and the root around it. */
#include <errno.h>

#include "json/gecko/gecko_root.h"
#include "tests/unit/gecko_scene.h"
#include "tests/unit/run_suite.h"

START_TEST(libraries_carry_their_ids)
{
    put_process();
    const cJSON *lib = cJSON_GetArrayItem(get_member(make_profile(), "libs"), 0);
    ck_assert_double_eq(get_member(lib, "start")->valuedouble, 0x401000);
    ck_assert_double_eq(get_member(lib, "offset")->valuedouble, 0x1000);
    ck_assert_str_eq(get_member(lib, "name")->valuestring, "server");
    ck_assert_str_eq(get_member(lib, "breakpadId")->valuestring,
                     "0403020106050807090A0B0C0D0E0F100");
    ck_assert_str_eq(get_member(lib, "codeId")->valuestring,
                     "0102030405060708090a0b0c0d0e0f1011121314");
}
END_TEST

START_TEST(libraries_never_share_addresses)
{
    static const uint64_t ranges[][2] = { { 0x9000, 0xa000 }, { 0x1000, 0x3000 },
                                          { 0x3000, 0x4000 }, { 0x5000, 0x6000 },
                                          { 0x2000, 0x5000 }, { 0x7000, 0x7000 } };
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        struct dictionary_library library = { .start = ranges[i][0],
                                              .end = ranges[i][1],
                                              .path = "/lib/x.so" };
        dictionary_put_library(&own.dictionary, &library);
    }
    const cJSON *libs = get_member(make_profile(), "libs");
    /* Those without samples that the fifth replaced are gone. */
    static const double starts[] = { 0x2000, 0x5000, 0x9000 };
    ck_assert_int_eq(cJSON_GetArraySize(libs), 3);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq(get_member(cJSON_GetArrayItem(libs, i), "start")->valuedouble,
                            starts[i]);
}
END_TEST

START_TEST(the_main_thread_and_the_process_have_their_names)
{
    put_process();
    make_profile();
    ck_assert_str_eq(get_member(thread_at(0), "name")->valuestring, "GeckoMain");
    ck_assert_str_eq(get_member(thread_at(0), "processName")->valuestring, "server");
    ck_assert_str_eq(get_member(thread_at(1), "name")->valuestring, "pool");
    dictionary_put_process_name(&own.dictionary, ns_at(0), "server: worker 3");
    dictionary_put_thread_name(&own.dictionary, WORKER, ns_at(0), "renamed");
    make_profile();
    ck_assert_str_eq(get_member(thread_at(0), "processName")->valuestring, "server: worker 3");
    ck_assert_str_eq(get_member(thread_at(1), "name")->valuestring, "renamed");
}
END_TEST

START_TEST(a_title_is_the_name_of_a_process_that_has_chosen_none)
{
    put_process();
    strcpy(own.arena.header->title, "server: idle");
    make_profile();
    ck_assert_str_eq(get_member(thread_at(0), "processName")->valuestring, "server: idle");
    own.options.title = "/usr/bin/server 10.0.0.1/24";
    make_profile();
    ck_assert_str_eq(get_member(thread_at(0), "processName")->valuestring, "server 10.0.0.1/24");
    dictionary_put_process_name(&own.dictionary, ns_at(0), "chosen");
    make_profile();
    ck_assert_str_eq(get_member(thread_at(0), "processName")->valuestring, "chosen");
}
END_TEST

START_TEST(a_title_without_an_end_is_cut)
{
    char expect[ARENA_TITLE_BYTES] = "";

    memset(own.arena.header->title, 'x', ARENA_TITLE_BYTES);
    memset(expect, 'x', sizeof(expect) - 1);
    make_profile();
    ck_assert_str_eq(get_member(thread_at(0), "processName")->valuestring, expect);
}
END_TEST

START_TEST(an_arena_without_records_is_a_process_with_a_main_thread)
{
    make_profile();
    ck_assert_int_eq(cJSON_GetArraySize(get_member(own.profile, "threads")), 1);
    ck_assert_str_eq(get_member(thread_at(0), "name")->valuestring, "GeckoMain");
    ck_assert_double_eq(get_member(thread_at(0), "pid")->valuedouble, PID);
}
END_TEST

START_TEST(images_of_one_pid_are_different_processes)
{
    put_process();
    own.options.later_images = 2;
    make_profile();
    ck_assert_double_eq(get_member(thread_at(0), "pid")->valuedouble, 20000000 + PID);
}
END_TEST

static const cJSON *told_of_process(const char *name)
{
    return get_member(
        get_member(get_member(get_member(own.profile, "profilingLog"), "4242"), "profd"), name);
}

START_TEST(what_was_used_until_an_exec_is_told_apart)
{
    put_process();
    own.options.process_start_ns = own.options.reference_ns + 2500000;
    own.options.cpu_time = (struct process_cpu_time){ 7000000, 0, CPU_TIME_TO_EXEC };
    make_profile();
    ck_assert(cJSON_IsNull(told_of_process("cpuTime")));
    ck_assert_double_eq(told_of_process("cpuTimeAtExec")->valuedouble, 7);
    ck_assert_double_eq(told_of_process("processStartTime")->valuedouble, 2.5);
}
END_TEST

START_TEST(when_a_process_began_may_not_be_known)
{
    put_process();
    own.options.cpu_time = (struct process_cpu_time){ 7000000, 0, CPU_TIME_TO_END };
    make_profile();
    ck_assert_double_eq(told_of_process("cpuTime")->valuedouble, 7);
    ck_assert(cJSON_IsNull(told_of_process("cpuTimeAtExec")));
    ck_assert(cJSON_IsNull(told_of_process("processStartTime")));
}
END_TEST

START_TEST(the_clock_is_told)
{
    put_process();
    atomic_store(&own.arena.header->sampling_clock, SAMPLING_CLOCK_CPU);
    atomic_store(&own.arena.header->sampling_clock_refusal, CLOCK_REFUSAL_FILTER);
    atomic_store(&own.arena.header->sampling_interval_ns, 2500000);
    make_profile();
    const cJSON *about =
        get_member(get_member(get_member(own.profile, "profilingLog"), "4242"), "profd");
    ck_assert_str_eq(get_member(about, "clock")->valuestring, "cpu");
    ck_assert_double_eq(get_member(about, "clockInterval")->valuedouble, 2.5);
    ck_assert_str_eq(get_member(about, "clockRefused")->valuestring,
                     clock_refusal_text(CLOCK_REFUSAL_FILTER));
    ck_assert_double_eq(get_member(get_member(own.profile, "meta"), "interval")->valuedouble, 2.5);
}
END_TEST

START_TEST(who_has_no_clock_tells_none)
{
    put_process();
    atomic_store(&own.arena.header->sampling_interval_ns, 2500000);
    make_profile();
    const cJSON *about =
        get_member(get_member(get_member(own.profile, "profilingLog"), "4242"), "profd");
    ck_assert(cJSON_IsNull(get_member(about, "clock")));
    ck_assert(cJSON_IsNull(get_member(about, "clockInterval")));
    ck_assert(cJSON_IsNull(get_member(about, "clockRefused")));
    ck_assert_ptr_null(cJSON_GetObjectItem(get_member(own.profile, "meta"), "interval"));
}
END_TEST

START_TEST(the_verdict_is_shown)
{
    put_process();
    own.options.verdict = VERDICT_KILLED;
    own.options.code = 9;
    own.options.end_ns = ns_at(20 * MS);
    make_profile();
    const cJSON *row = cJSON_GetArrayItem(table_rows(thread_at(0), "markers"), 0);
    ck_assert_str_eq(get_member(cJSON_GetArrayItem(row, 5), "name")->valuestring,
                     "killed by signal 9");
    const cJSON *about =
        get_member(get_member(get_member(own.profile, "profilingLog"), "4242"), "profd");
    ck_assert_str_eq(get_member(about, "verdict")->valuestring, "killed");
    ck_assert_int_eq(get_member(about, "code")->valueint, 9);
    ck_assert_int_eq(cJSON_GetArraySize(get_member(about, "commandLine")), 3);
    ck_assert_double_eq(get_member(get_member(own.profile, "meta"), "shutdownTime")->valuedouble,
                        20);
    ck_assert_double_eq(get_member(thread_at(1), "unregisterTime")->valuedouble, 20);
}
END_TEST

START_TEST(drops_are_counted_by_cause)
{
    put_process();
    arena_count_drop(&own.arena, DROP_LATE_SAMPLE, 3);
    make_profile();
    const cJSON *about =
        get_member(get_member(get_member(own.profile, "profilingLog"), "4242"), "profd");
    ck_assert_int_eq(get_member(get_member(about, "events"), "late-sample")->valueint, 3);
    ck_assert_int_eq(
        get_member(get_member(get_member(about, "drops"), "memory-limit"), "blocks")->valueint, 0);
}
END_TEST

START_TEST(pauses_are_ranges)
{
    put_process();
    dictionary_put_pause(&own.dictionary, ns_at(3 * MS));
    dictionary_put_resume(&own.dictionary, ns_at(4 * MS));
    dictionary_put_pause(&own.dictionary, ns_at(6 * MS));
    const cJSON *ranges = get_member(make_profile(), "pausedRanges");
    ck_assert_int_eq(cJSON_GetArraySize(ranges), 2);
    ck_assert_double_eq(get_member(cJSON_GetArrayItem(ranges, 0), "endTime")->valuedouble, 4);
    ck_assert(cJSON_IsNull(get_member(cJSON_GetArrayItem(ranges, 1), "endTime")));
}
END_TEST

START_TEST(what_the_sink_refuses_ends_the_work)
{
    struct arena_reader *reader;
    struct failure_latch latch;
    struct json_writer writer;
    int closed = -1;
    failure_latch_init(&latch);
    put_process();
    ck_assert_int_eq(arena_reader_open(own.arena.fd, &reader), 0);
    json_writer_init_sink(&writer, json_sink_fd, &closed, &latch);
    ck_assert_int_eq(gecko_stream_process(reader, &own.options, &writer, NULL, &latch), -EBADF);
    ck_assert_int_eq(failure_latch_error(&latch), -EBADF);
    json_writer_fini(&writer);
    arena_reader_close(reader);
}
END_TEST

START_TEST(an_unprofiled_process_is_listed_with_its_reason)
{
    struct gecko_unprofiled_process unprofiled = {
        .pid = 77, .parent_pid = 1, .start_ns = ns_at(0), .executable = "/bin/static"
    };
    struct failure_latch latch;
    struct json_writer writer;
    struct text text = { 0 };
    failure_latch_init(&latch);
    own.options.verdict = VERDICT_NOT_PROFILED;
    own.options.reason = "statically linked";
    json_writer_init_sink(&writer, append_text, &text, &latch);
    ck_assert_int_eq(gecko_stream_unprofiled(&unprofiled, &own.options, &writer, &latch), 0);
    json_writer_fini(&writer);
    own.profile = parse_json(&text);
    ck_assert_str_eq(get_member(thread_at(0), "processName")->valuestring, "static");
    const cJSON *about =
        get_member(get_member(get_member(own.profile, "profilingLog"), "77"), "profd");
    ck_assert_str_eq(get_member(about, "reason")->valuestring, "statically linked");
    ck_assert_double_eq(get_member(about, "startTime")->valuedouble, 0);
}
END_TEST

START_TEST(a_process_known_by_its_end_has_no_start)
{
    struct gecko_unprofiled_process unprofiled = { .pid = 77, .executable = "/bin/static" };
    struct failure_latch latch;
    struct json_writer writer;
    struct text text = { 0 };
    failure_latch_init(&latch);
    own.options.end_ns = own.options.reference_ns + 3000000;
    json_writer_init_sink(&writer, append_text, &text, &latch);
    ck_assert_int_eq(gecko_stream_unprofiled(&unprofiled, &own.options, &writer, &latch), 0);
    json_writer_fini(&writer);
    own.profile = parse_json(&text);
    const cJSON *about =
        get_member(get_member(get_member(own.profile, "profilingLog"), "77"), "profd");
    ck_assert(cJSON_IsNull(get_member(about, "startTime")));
    ck_assert_double_eq(get_member(about, "endTime")->valuedouble, 3);
    ck_assert_double_eq(get_member(thread_at(0), "registerTime")->valuedouble, 3);
}
END_TEST

START_TEST(the_root_holds_the_processes)
{
    static const char *const features[] = { "stacks", "cpu", NULL };
    struct text text = { 0 };
    struct failure_latch latch;
    struct json_writer head, tail, log;
    struct gecko_root_options root = {
        .reference_ns = own.options.reference_ns,
        .reference_unix_ns = own.options.reference_unix_ns,
        .session_start_ns = own.start.monotonic_ns,
        .capture_ns = own.options.capture_ns,
        .interval_ns = MS,
        .memory_limit_bytes = 1 << 20,
        .pid = 99,
        .features = features,
        .thread_filters = "GeckoMain,pool",
    };
    failure_latch_init(&latch);
    put_process();
    encode_tick(3);
    encode_sample(MAIN, 3, 1000, stack_a, 3);
    encode_tick(4);
    encode_sample(MAIN, 4, 1000, stack_a, 3);
    encode_marker(ENTRY_TEXT_MARKER_INTERVAL, 5, 2, SITE_MARKER, "log.1");
    json_writer_init_sink(&head, append_text, &text, &latch);
    json_writer_init_sink(&tail, append_text, &text, &latch);
    json_writer_init(&log, &latch);
    gecko_root_begin(&head, &root);
    ck_assert_int_eq(json_writer_flush(&head), 0);
    stream_arena(&own.arena, &own.options, &text);
    append_text(&text, ",", 1);
    own.options.later_images = 1;
    stream_arena(&own.arena, &own.options, &text);
    json_start_object(&log);
    json_string_property(&log, "event", "gathered");
    json_end_object(&log);
    gecko_root_end(&tail, &root, &log);
    ck_assert_int_eq(json_writer_flush(&tail), 0);
    json_writer_fini(&head);
    json_writer_fini(&tail);
    json_writer_fini(&log);
    own.profile = parse_json(&text);
    const cJSON *meta = get_member(own.profile, "meta");
    ck_assert_int_eq(get_member(meta, "version")->valueint, 36);
    ck_assert_double_eq(get_member(meta, "interval")->valuedouble, 1);
    ck_assert_double_eq(get_member(meta, "profilingEndTime")->valuedouble, 1000);
    ck_assert_int_eq(cJSON_GetArraySize(get_member(own.profile, "processes")), 2);
    const cJSON *process = cJSON_GetArrayItem(get_member(own.profile, "processes"), 0);
    ck_assert_double_eq(get_member(meta, "startTime")->valuedouble, WALL_CLOCK_NS / 1e6);
    ck_assert_double_eq(get_member(get_member(process, "meta"), "startTime")->valuedouble,
                        get_member(meta, "startTime")->valuedouble);
    ck_assert(cJSON_Compare(get_member(get_member(process, "meta"), "categories"),
                            get_member(meta, "categories"), 1));
    const cJSON *events = get_member(get_member(own.profile, "profileGatheringLog"), "99");
    ck_assert_str_eq(get_member(events, "event")->valuestring, "gathered");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json.gecko_process");
    TCase *process = add_case(suite, "process");
    tcase_add_test(process, libraries_carry_their_ids);
    tcase_add_test(process, libraries_never_share_addresses);
    tcase_add_test(process, the_main_thread_and_the_process_have_their_names);
    tcase_add_test(process, a_title_is_the_name_of_a_process_that_has_chosen_none);
    tcase_add_test(process, a_title_without_an_end_is_cut);
    tcase_add_test(process, an_arena_without_records_is_a_process_with_a_main_thread);
    tcase_add_test(process, images_of_one_pid_are_different_processes);
    tcase_add_test(process, what_was_used_until_an_exec_is_told_apart);
    tcase_add_test(process, when_a_process_began_may_not_be_known);
    tcase_add_test(process, the_clock_is_told);
    tcase_add_test(process, who_has_no_clock_tells_none);
    tcase_add_test(process, the_verdict_is_shown);
    tcase_add_test(process, drops_are_counted_by_cause);
    tcase_add_test(process, pauses_are_ranges);
    tcase_add_test(process, what_the_sink_refuses_ends_the_work);
    tcase_add_test(process, an_unprofiled_process_is_listed_with_its_reason);
    tcase_add_test(process, a_process_known_by_its_end_has_no_start);
    tcase_add_test(process, the_root_holds_the_processes);
    return run_suite(suite);
}
