#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "profctl/convert/pprof.pb-c.h"
#include "profctl/convert/profile_format.h"
#include "tests/unit/run_suite.h"

/* Two processes: main calls work, which calls an address in a library; and a thread of which only
 * samples are known. */
static const char profile[] =
    "{\"meta\":{\"interval\":1,\"startTime\":1000.5,\"sampleUnits\":{\"threadCPUDelta\":\"ns\"}},"
    "\"threads\":[],\"processes\":["
    "{\"libs\":[{\"start\":4096,\"end\":8192,\"offset\":0,\"name\":\"lib\",\"path\":\"/lib\","
    "\"codeId\":null}],\"threads\":[{\"name\":\"GeckoMain\",\"processName\":\"app\",\"pid\":7,"
    "\"tid\":7,\"stringTable\":[\"main (in app)\",\"wo;rk\",\"0x1010\"],"
    "\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0],[1],[2]]},"
    "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0],[0,1],[1,2]]},"
    "\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"threadCPUDelta\":2},"
    "\"data\":[[1,1,1000000],[2,2,1000000],[2,3,1000000],[0,4,0],[null,5,0]]}}]},"
    "{\"threads\":[{\"name\":\"worker\",\"processName\":\"app\",\"pid\":8,\"tid\":9,"
    "\"stringTable\":[\"main (in app)\"],"
    "\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0]]},"
    "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0]]},"
    "\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[0,1],[0,2]]}}]}]}";

/* Native code with files: work is inlined in main; and a function of a script. */
static const char with_files[] =
    "{\"meta\":{\"interval\":1,\"sampleUnits\":{\"threadCPUDelta\":\"ns\"}},"
    "\"libs\":[{\"start\":4096,\"end\":8192,\"offset\":512,\"name\":\"app\",\"path\":\"/bin/app\","
    "\"codeId\":\"0102\"}],\"threads\":[{\"name\":\"GeckoMain\",\"processName\":\"app\",\"pid\":7,"
    "\"tid\":7,\"stringTable\":[\"main (in app)\",\"work (in app)\",\"f (x.js:3:1)\",\"main.c\","
    "\"work.h\",\"0x1010\"],\"frameTable\":{\"schema\":{\"location\":0,\"line\":1,\"file\":2,"
    "\"inlined\":3},\"data\":[[0,10,3],[1,20,4,true],[2,5],[5]]},"
    "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0],[0,1],[1,2],[0,3]]},"
    "\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"threadCPUDelta\":2},"
    "\"data\":[[1,1,1000000],[2,2,1000000],[3,3,1000000]]}}],\"processes\":[]}";

enum { MAX_BYTES = 512 * 1024 }; /* a page has much around what it tells */

static char written[MAX_BYTES];
static size_t bytes;
static size_t room;

static int write_bytes(void *context, const char *text, size_t count)
{
    ck_assert_ptr_eq(context, written);
    if (bytes + count > room)
        return -ENOSPC;
    memcpy(written + bytes, text, count);
    bytes += count;
    return 0;
}

/* What a conversion passes on. */
struct conversion {
    const struct profile_format *format;
    void *state;
    unsigned threads;
};

static int on_thread(void *owner, const struct profile_thread *thread)
{
    struct conversion *conversion = owner;
    if (conversion->threads++ > 0 && conversion->format->is_of_one_thread)
        return 0;
    return conversion->format->add_thread(conversion->state, thread);
}

static int convert_text(const char *text, const struct profile_format *format)
{
    const struct profile_walk_events events = { .on_thread = on_thread,
                                                .wants_markers = format->wants_markers };
    struct conversion conversion = { .format = format };
    struct profile_facts facts;
    struct json_reader *reader;
    ck_assert_int_eq(json_reader_open_memory(text, strlen(text), &reader), 0);
    int error = format->begin(write_bytes, written, &conversion.state);
    if (error == 0)
        error = profile_walk(reader, &events, &conversion, &facts);
    if (error == 0)
        error = format->finish(conversion.state, &facts);
    if (conversion.state != NULL)
        format->end(conversion.state);
    json_reader_close(reader);
    written[bytes] = '\0';
    return error;
}

static int convert_profile(const struct profile_format *format)
{
    return convert_text(profile, format);
}

static void set_up(void)
{
    bytes = 0;
    room = MAX_BYTES - 1;
}

START_TEST(collapsed_stacks_have_cpu_time_or_samples)
{
    ck_assert_int_eq(convert_profile(&format_collapsed), 0);
    ck_assert_str_eq(written, "app (7);main thread;main (in app);wo:rk 1000\n"
                              "app (7);main thread;main (in app);wo:rk;0x10 (in lib) 2000\n"
                              "app (8);worker;main (in app) 2\n");
}
END_TEST

/* Of a thread with two samples in work, at two addresses, and of another one with its name. */
static const char with_places[] =
    "{\"meta\":{\"interval\":1,\"sampleUnits\":{\"threadCPUDelta\":\"ns\"}},\"processes\":[],"
    "\"threads\":[{\"name\":\"pool\",\"processName\":\"app\",\"pid\":7,\"tid\":8,"
    "\"stringTable\":[\"main\",\"work\"],\"frameTable\":{\"schema\":{\"location\":0,\"line\":1},"
    "\"data\":[[0,1],[1,20],[1,21],[0,2]]},\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},"
    "\"data\":[[null,0],[0,1],[0,2],[null,3],[3,1]]},"
    "\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"threadCPUDelta\":2},"
    "\"data\":[[1,1,1000400],[2,2,1000400],[4,3,1000000]]}},"
    "{\"name\":\"pool\",\"processName\":\"app\",\"pid\":7,\"tid\":9,"
    "\"stringTable\":[\"work\",\"main\"],\"frameTable\":{\"schema\":{\"location\":0},"
    "\"data\":[[1],[0]]},\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},"
    "\"data\":[[null,0],[0,1]]},\"samples\":{\"schema\":{\"stack\":0,\"time\":1,"
    "\"threadCPUDelta\":2},\"data\":[[1,1,500000],[0,2,2000]]}}]}";

START_TEST(collapsed_stacks_of_the_same_functions_are_one)
{
    ck_assert_int_eq(convert_text(with_places, &format_collapsed), 0);
    ck_assert_str_eq(written, "app (7);pool;main 2\n"
                              "app (7);pool;main;work 3501\n");
}
END_TEST

START_TEST(speedscope_shares_frames)
{
    ck_assert_int_eq(convert_profile(&format_speedscope), 0);
    ck_assert_ptr_nonnull(strstr(written, "\"samples\":[[0,1],[0,1,2],[0,1,2]],"
                                          "\"weights\":[1000000,1000000,1000000]"));
    ck_assert_ptr_nonnull(strstr(written, "\"unit\":\"none\""));
    ck_assert_ptr_nonnull(strstr(written, "\"frames\":[{\"name\":\"main (in app)\"},"
                                          "{\"name\":\"wo;rk\"},{\"name\":\"0x10 (in lib)\"}]"));
}
END_TEST

START_TEST(trace_events_are_calls)
{
    ck_assert_int_eq(convert_profile(&format_trace), 0);
    ck_assert_ptr_nonnull(strstr(written, "\"args\":{\"name\":\"app (7)\"}"));
    ck_assert_ptr_nonnull(strstr(written, "\"name\":\"wo;rk\",\"ts\":1000,\"dur\":3000"));
    ck_assert_ptr_nonnull(strstr(written, "\"name\":\"0x10 (in lib)\",\"ts\":2000,\"dur\":2000"));
    ck_assert_ptr_nonnull(strstr(written, "\"startUnixMs\":1000.5"));
}
END_TEST

START_TEST(trace_events_tell_their_node_and_self_time)
{
    ck_assert_int_eq(convert_profile(&format_trace), 0);
    ck_assert_ptr_nonnull(strstr(written, "\"ts\":1000,\"dur\":3000,\"args\":{\"nodeId\":3,"
                                          "\"sampleIndex\":0,\"selfTime\":1000}"));
}
END_TEST

START_TEST(a_cpuprofile_has_the_call_tree_of_a_thread)
{
    static const char no_place[] = "\"lineNumber\":-1,\"columnNumber\":-1";
    char frame[256];
    ck_assert_int_eq(convert_profile(&format_cpuprofile), 0);
    ck_assert_ptr_nonnull(
        strstr(written, "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\""));
    snprintf(
        frame, sizeof(frame),
        "{\"id\":2,\"callFrame\":{\"functionName\":\"main\",\"scriptId\":\"1\",\"url\":\"app\",%s},"
        "\"hitCount\":1,\"children\":[3]}",
        no_place);
    ck_assert_ptr_nonnull(strstr(written, frame));
    ck_assert_ptr_nonnull(
        strstr(written, "\"functionName\":\"0x10\",\"scriptId\":\"2\",\"url\":\"lib\""));
    ck_assert_ptr_nonnull(strstr(written, "\"samples\":[3,4,4,2,5],"
                                          "\"timeDeltas\":[1000,1000,1000,1000,1000],"
                                          "\"startTime\":0,\"endTime\":5000}"));
}
END_TEST

START_TEST(a_cpuprofile_has_no_room_for_a_second_thread)
{
    static const struct thread_tables empty;
    const struct profile_thread none = { .tables = &empty };
    void *state;
    ck_assert_int_eq(format_cpuprofile.begin(write_bytes, written, &state), 0);
    ck_assert_int_eq(format_cpuprofile.add_thread(state, &none), 0);
    ck_assert_int_eq(format_cpuprofile.add_thread(state, &none), -EINVAL);
    format_cpuprofile.end(state);
}
END_TEST

START_TEST(callgrind_has_functions_and_their_calls)
{
    ck_assert_int_eq(convert_profile(&format_callgrind), 0);
    ck_assert_ptr_nonnull(strstr(written, "events: Nanoseconds\n"));
    ck_assert_ptr_nonnull(strstr(written, "fl=\?\?\?\nfn=(1) main (in app)\ncfi=\?\?\?\n"
                                          "cfn=(2) wo;rk\ncalls=1 0\n0 3000000\n"));
    ck_assert_ptr_nonnull(strstr(written, "fn=(2)\n0 1000000\ncfi=\?\?\?\n"
                                          "cfn=(3) 0x10 (in lib)\ncalls=1 0\n0 2000000\n"));
    ck_assert_ptr_nonnull(strstr(written, "fn=(3)\n0 2000000\n"));
}
END_TEST

/* --- Files --- */

static void has_file(const struct profile_format *format, const char *text)
{
    bytes = 0;
    ck_assert_int_eq(convert_text(with_files, format), 0);
    ck_assert_msg(strstr(written, text) != NULL, "%s: no %s in %s", format->name, text, written);
}

START_TEST(formats_have_the_files_of_functions)
{
    has_file(&format_speedscope, "{\"name\":\"main (in app)\",\"file\":\"main.c\"},"
                                 "{\"name\":\"work (in app)\",\"file\":\"work.h\"},"
                                 "{\"name\":\"f (x.js:3:1)\",\"file\":\"x.js\"}");
    has_file(&format_trace, "\"args\":{\"file\":\"work.h\",");
    has_file(&format_cpuprofile, "\"functionName\":\"work\",\"scriptId\":\"2\",\"url\":\"work.h\","
                                 "\"lineNumber\":19,\"columnNumber\":-1");
    has_file(&format_processed, "\"stringArray\":[\"main.c\",\"main\",\"app\",\"work.h\"");
    has_file(&format_processed, "\"frameTable\":{\"length\":4,\"flags\":[20,21,20,6]");
}
END_TEST

START_TEST(callgrind_has_files_and_lines)
{
    has_file(&format_callgrind, "fl=(1) main.c\nfn=(1) main (in app)\n"
                                "cfi=(2) work.h\ncfn=(2) work (in app)\n"
                                "calls=1 0\n10 2000000\n");
    has_file(&format_callgrind, "fl=(2)\nfn=(2)\n20 1000000\n"
                                "cfi=(3) x.js\ncfn=(3) f (x.js:3:1)\ncalls=1 0\n20 1000000\n");
}
END_TEST

static const char *string_at(const Pprof__Profile *message, int64_t index)
{
    ck_assert_int_lt(index, (int64_t)message->n_string_table);
    return message->string_table[index];
}

START_TEST(pprof_is_one_message)
{
    ck_assert_int_eq(convert_profile(&format_pprof), 0);
    Pprof__Profile *message = pprof__profile__unpack(NULL, bytes, (const uint8_t *)written);
    ck_assert_ptr_nonnull(message);
    ck_assert_str_eq(string_at(message, 0), "");
    ck_assert_uint_eq(message->n_sample_type, 5);
    ck_assert_str_eq(string_at(message, message->sample_type[1]->unit), "nanoseconds");
    ck_assert_uint_eq(message->n_sample, 4);
    const Pprof__Sample *sample = message->sample[1];
    ck_assert_uint_eq(sample->n_location_id, 3);
    ck_assert_uint_eq(sample->location_id[0], 3); /* the innermost first */
    ck_assert_int_eq(sample->value[0], 2);
    ck_assert_int_eq(sample->value[1], 2000000);
    ck_assert_int_eq(sample->value[2], 2000000);
    ck_assert_int_eq(sample->value[3], 0);
    ck_assert_str_eq(string_at(message, sample->label[0]->key), "process");
    ck_assert_str_eq(string_at(message, sample->label[0]->str), "app");
    ck_assert_int_eq(sample->label[2]->num, 7);
    ck_assert_uint_eq(message->n_function, 3);
    ck_assert_str_eq(string_at(message, message->function[2]->name), "0x10");
    ck_assert_uint_eq(message->n_mapping, 2);
    ck_assert_str_eq(string_at(message, message->mapping[1]->filename), "/lib");
    ck_assert_uint_eq(message->mapping[1]->memory_start, 4096);
    ck_assert_uint_eq(message->mapping[1]->memory_limit, 8192);
    ck_assert_uint_eq(message->location[2]->address, 0x1010);
    ck_assert_uint_eq(message->location[1]->mapping_id, 0);
    ck_assert_int_eq(message->sample[2]->value[0], 0); /* it tells time on the wall alone */
    ck_assert_int_eq(message->sample[2]->value[2], 1000000);
    ck_assert_int_eq(message->sample[3]->value[1], 0);
    ck_assert_int_eq(message->time_nanos, 1000500000);
    pprof__profile__free_unpacked(message, NULL);
}
END_TEST

START_TEST(pprof_has_lines_files_and_what_is_inlined)
{
    ck_assert_int_eq(convert_text(with_files, &format_pprof), 0);
    Pprof__Profile *message = pprof__profile__unpack(NULL, bytes, (const uint8_t *)written);
    ck_assert_ptr_nonnull(message);
    /* One location of main and of work, which is inlined there; below it the script's. */
    const Pprof__Sample *sample = message->sample[1];
    ck_assert_uint_eq(sample->n_location_id, 2);
    const Pprof__Location *location = message->location[sample->location_id[1] - 1];
    ck_assert_uint_eq(location->n_line, 2);
    ck_assert_int_eq(location->line[0]->line, 20);
    ck_assert_int_eq(location->line[1]->line, 10);
    const Pprof__Function *work = message->function[location->line[0]->function_id - 1];
    ck_assert_str_eq(string_at(message, work->name), "work");
    ck_assert_str_eq(string_at(message, work->filename), "work.h");
    location = message->location[sample->location_id[0] - 1];
    const Pprof__Function *script = message->function[location->line[0]->function_id - 1];
    ck_assert_str_eq(string_at(message, script->name), "f");
    ck_assert_str_eq(string_at(message, script->filename), "x.js");
    ck_assert_int_eq(script->start_line, 3);
    ck_assert_int_eq(location->line[0]->line, 5);
    ck_assert_uint_eq(location->mapping_id, 0);
    /* One mapping, of frames with a name and of the address. */
    ck_assert_uint_eq(message->n_mapping, 1);
    ck_assert_str_eq(string_at(message, message->mapping[0]->filename), "/bin/app");
    ck_assert_str_eq(string_at(message, message->mapping[0]->build_id), "0102");
    ck_assert_uint_eq(message->mapping[0]->file_offset, 512);
    pprof__profile__free_unpacked(message, NULL);
}
END_TEST

START_TEST(pprof_has_allocations_and_groups)
{
    static const char text[] =
        "{\"meta\":{\"interval\":1,\"sampleUnits\":{\"threadCPUDelta\":\"ns\"}},\"threads\":[{"
        "\"name\":\"t\",\"pid\":7,\"tid\":7,\"stringTable\":[\"f\",\"Native allocation\",\"Jank\"],"
        "\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0]]},"
        "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0]]},"
        "\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"threadCPUDelta\":2},"
        "\"data\":[[0,1,1000000],[0,2,1000000],[0,52,1000000]]},"
        "\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,"
        "\"category\":4,\"data\":5},\"data\":[[1,1,null,0,0,{\"type\":\"Native allocation\","
        "\"size\":100,\"stack\":{\"samples\":{\"schema\":{\"stack\":0},\"data\":[[0]]}}}],"
        "[2,1.5,2.5,1,0,{\"type\":\"jank\",\"group\":\"tenant blue\"}]]}}],\"processes\":[]}";
    ck_assert_int_eq(convert_text(text, &format_pprof), 0);
    Pprof__Profile *message = pprof__profile__unpack(NULL, bytes, (const uint8_t *)written);
    ck_assert_ptr_nonnull(message);
    ck_assert_uint_eq(message->n_sample, 2);
    const Pprof__Sample *of_none = message->sample[0], *of_blue = message->sample[1];
    ck_assert_int_eq(of_none->value[2], 2000000); /* it slept for the rest of the 50 ms */
    ck_assert_int_eq(of_none->value[3], 1);
    ck_assert_int_eq(of_none->value[4], 100);
    ck_assert_int_eq(of_blue->value[1], 1000000);
    const Pprof__Label *group = of_blue->label[of_blue->n_label - 1];
    ck_assert_str_eq(string_at(message, group->key), "group");
    ck_assert_str_eq(string_at(message, group->str), "tenant blue");
    pprof__profile__free_unpacked(message, NULL);
}
END_TEST

/* Wherever the disk is full. */
START_TEST(what_cannot_be_written_is_an_error)
{
    for (size_t i = 0; profile_formats[i] != NULL; i++) {
        room = MAX_BYTES - 1;
        bytes = 0;
        ck_assert_int_eq(convert_profile(profile_formats[i]), 0);
        for (size_t most = bytes; most > 0; most -= most > 50 ? 50 : most) {
            bytes = 0;
            room = most - 1;
            ck_assert_int_eq(convert_profile(profile_formats[i]), -ENOSPC);
        }
    }
}
END_TEST

START_TEST(a_format_is_known_by_name_and_ending)
{
    ck_assert_ptr_eq(profile_format_named("pprof"), &format_pprof);
    ck_assert_ptr_null(profile_format_named("pdf"));
    ck_assert_ptr_eq(profile_format_of_file("a/b.pb.gz"), &format_pprof);
    ck_assert_ptr_eq(profile_format_of_file("b.speedscope.json"), &format_speedscope);
    ck_assert_ptr_null(profile_format_of_file("b.json"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.profile_format");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, NULL);
    tcase_add_test(all, collapsed_stacks_have_cpu_time_or_samples);
    tcase_add_test(all, collapsed_stacks_of_the_same_functions_are_one);
    tcase_add_test(all, speedscope_shares_frames);
    tcase_add_test(all, trace_events_are_calls);
    tcase_add_test(all, trace_events_tell_their_node_and_self_time);
    tcase_add_test(all, a_cpuprofile_has_the_call_tree_of_a_thread);
    tcase_add_test(all, a_cpuprofile_has_no_room_for_a_second_thread);
    tcase_add_test(all, callgrind_has_functions_and_their_calls);
    tcase_add_test(all, formats_have_the_files_of_functions);
    tcase_add_test(all, callgrind_has_files_and_lines);
    tcase_add_test(all, pprof_has_lines_files_and_what_is_inlined);
    tcase_add_test(all, pprof_has_allocations_and_groups);
    tcase_add_test(all, pprof_is_one_message);
    tcase_add_test(all, what_cannot_be_written_is_an_error);
    tcase_add_test(all, a_format_is_known_by_name_and_ending);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
