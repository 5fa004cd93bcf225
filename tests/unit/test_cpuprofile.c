#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "profctl/profile/profile_walk.h"
#include "tests/unit/run_suite.h"

enum { MOST_STACKS = 32, MOST_NAME = 64 };

/* What the walk told. */
static struct told {
    unsigned threads, processes;
    size_t stacks, samples;
    char names[MOST_STACKS][MOST_NAME];
    size_t lengths[MOST_STACKS];
    uint32_t prefixes[MOST_STACKS], ids[MOST_STACKS], scripts[MOST_STACKS];
    struct profile_sample sample[MOST_STACKS];
} told;
static char problem[256];

static int on_thread(void *owner, const struct profile_thread *thread)
{
    ck_assert_ptr_eq(owner, &told);
    ck_assert(!thread->knows_cpu);
    told.threads++;
    told.stacks = thread->tables->stacks.count;
    told.samples = thread->sample_count;
    ck_assert_uint_le(told.stacks, MOST_STACKS);
    ck_assert_uint_le(told.samples, MOST_STACKS);
    for (uint32_t i = 0; i < told.stacks; i++) {
        const struct table_stack *stack = thread_tables_stack(thread->tables, i);
        const struct table_frame *frame = thread_tables_frame(thread->tables, stack->frame);
        size_t length;
        const char *name = thread_tables_string(thread->tables, frame->location, &length);
        ck_assert_uint_lt(length, MOST_NAME);
        memcpy(told.names[i], name, length);
        told.lengths[i] = length;
        told.prefixes[i] = stack->prefix;
        told.ids[i] = stack->id;
        told.scripts[i] = frame->script;
    }
    for (size_t i = 0; i < told.samples; i++)
        told.sample[i] = thread->samples[i];
    return 0;
}

static int on_process(void *owner, bool is_root, struct process_log *log)
{
    (void)owner, (void)log;
    ck_assert(is_root);
    told.processes++;
    return 0;
}

static int read_text(const char *text)
{
    static const struct profile_walk_events events = { .on_thread = on_thread,
                                                       .on_process = on_process };
    struct profile_facts facts;
    struct json_reader *reader;
    told = (struct told){ 0 };
    ck_assert_int_eq(json_reader_open_memory(text, strlen(text), &reader), 0);
    int error = profile_walk(reader, &events, &told, &facts);
    snprintf(problem, sizeof(problem), "%s", json_reader_error(reader));
    json_reader_close(reader);
    return error;
}

#define NODE(id, name, rest) "{\"id\":" id ",\"callFrame\":{\"functionName\":\"" name "\"}" rest "}"
#define ROOT(rest)           NODE("1", "(root)", rest)
#define REST(samples, deltas)                                                                      \
    "],\"startTime\":5,\"endTime\":9,\"samples\":[" samples "],\"timeDeltas\":[" deltas "]}"

START_TEST(children_and_samples_are_a_thread)
{
    ck_assert_int_eq(
        read_text("{\"nodes\":[" ROOT(",\"children\":[7,4]") "," NODE(
            "7", "f", ",\"children\":[9]") "," NODE("4", "(idle)", "") "," NODE("9", "g",
                                                                                ",\"hitCount\":2")
                      REST("9,4,9,1", "1000,1500,-500,0")),
        0);
    ck_assert_uint_eq(told.threads, 1);
    ck_assert_uint_eq(told.processes, 1);
    ck_assert_uint_eq(told.stacks, 4);
    ck_assert_str_eq(told.names[0], "(root)");
    ck_assert_str_eq(told.names[3], "g");
    ck_assert_uint_eq(told.prefixes[0], TABLE_NONE);
    ck_assert_uint_eq(told.prefixes[1], TABLE_NONE); /* the root is no caller */
    ck_assert_uint_eq(told.prefixes[3], 1);
    ck_assert_uint_eq(told.ids[3], 9);
    ck_assert_uint_eq(told.samples, 4);
    ck_assert_double_eq(told.sample[1].time_ms, 2.5);
    ck_assert_double_eq(told.sample[2].time_ms, 2);
    ck_assert_uint_eq(told.sample[0].stack, 3);
    ck_assert(told.sample[0].is_active);
    ck_assert(!told.sample[1].is_active);
}
END_TEST

START_TEST(parents_do_as_well_and_come_in_any_order)
{
    ck_assert_int_eq(read_text("{\"timeDeltas\":[1],\"samples\":[3],\"nodes\":[" ROOT("") "," NODE(
                         "3", "g", ",\"parent\":2") "," NODE("2", "f", ",\"parent\":1") "]}"),
                     0);
    ck_assert_uint_eq(told.stacks, 3);
    ck_assert_str_eq(told.names[1], "f"); /* callers first */
    ck_assert_str_eq(told.names[2], "g");
    ck_assert_uint_eq(told.prefixes[2], 1);
    ck_assert_uint_eq(told.sample[0].stack, 2);
}
END_TEST

START_TEST(names_tell_script_and_place)
{
    ck_assert_int_eq(read_text("{\"nodes\":[" ROOT(
                         ",\"children\":[2,3,4,5]") ","
                                                    "{\"id\":2,\"callFrame\":{\"functionName\":"
                                                    "\"f\",\"scriptId\":\"8\",\"url\":\"a.js\","
                                                    "\"lineNumber\":41,\"columnNumber\":6}},"
                                                    "{\"id\":3,\"callFrame\":{\"functionName\":"
                                                    "\"\",\"scriptId\":\"9\",\"url\":\"\","
                                                    "\"lineNumber\":0,\"columnNumber\":-1}},"
                                                    "{\"id\":4,\"callFrame\":{\"functionName\":"
                                                    "\"n\",\"scriptId\":0,\"url\":\"lib\","
                                                    "\"lineNumber\":-1}},"
                                                    "{\"id\":5,\"callFrame\":{\"functionName\":"
                                                    "\"b\",\"scriptId\":\"0\"}}" REST("", "")),
                     0);
    ck_assert_str_eq(told.names[1], "f (a.js:42:7)");
    ck_assert_str_eq(told.names[2], "(anonymous) (VM9:1)");
    ck_assert_str_eq(told.names[3], "n (in lib)");
    ck_assert_str_eq(told.names[4], "b");
    ck_assert_uint_ne(told.scripts[1], told.scripts[2]);
    ck_assert_uint_ne(told.scripts[1], 0);
    ck_assert_uint_eq(told.scripts[3], 0);
    ck_assert_uint_eq(told.samples, 0);
}
END_TEST

#define PLACED(id, name, url, line)                                                                \
    "{\"id\":" id ",\"parent\":1,\"callFrame\":{\"functionName\":\"" name "\",\"scriptId\":\"0\"," \
    "\"url\":\"" url "\",\"lineNumber\":" line "}}"

/* DevTools goes by their names alone. */
START_TEST(meta_nodes_have_no_place)
{
    ck_assert_int_eq(
        read_text("{\"nodes\":[" ROOT("") "," PLACED("2", "(idle)", "", "0") "," PLACED(
            "3", "(program)", "v8", "-1") "," PLACED("4", "(garbage collector)", "v8", "7")
                      REST("2,3,4", "1,1,1")),
        0);
    ck_assert_str_eq(told.names[1], "(idle)");
    ck_assert_str_eq(told.names[2], "(program)");
    ck_assert_str_eq(told.names[3], "(garbage collector)");
    ck_assert(!told.sample[0].is_active);
    ck_assert(told.sample[1].is_active);
}
END_TEST

START_TEST(names_go_on_behind_a_nul)
{
    ck_assert_int_eq(read_text("{\"nodes\":[" ROOT("") "," PLACED("2", "a\\u0000b", "u\\u0000v",
                                                                  "1") REST("", "")),
                     0);
    ck_assert_uint_eq(told.lengths[1], strlen("a_b (u_v:2)"));
    ck_assert_mem_eq(told.names[1], "a\0b (u\0v:2)", told.lengths[1]);
}
END_TEST

START_TEST(what_is_wrong_is_told)
{
    static const struct {
        const char *text, *problem;
    } wrong[] = {
        { "{\"samples\":[1],\"timeDeltas\":[1]}", "without \"nodes\"" },
        { "{\"nodes\":[]}", "without \"nodes\"" },
        { "{\"nodes\":[" ROOT("") "]}", "without \"samples\"" },
        { "{\"startTime\":1}", "without \"nodes\"" },
        { "{\"nodes\":[" ROOT("") REST("1,1", "1"), "2 \"samples\" and 1 \"timeDeltas\"" },
        { "{\"nodes\":[" ROOT("") "],\"nodes\":[" ROOT("") REST("1", "1"), "\"nodes\" twice" },
        { "{\"nodes\":[" ROOT("") REST("2", "1"), "sample 1 is of node 2, which does not exist" },
        { "{\"nodes\":[" ROOT("") REST("1", "1e300"), "time of sample 1 is out of range" },
        { "{\"nodes\":[" ROOT("") REST("1,1", "9e15,9e15"), "time of sample 2" },
        { "{\"nodes\":[" ROOT("") REST("\"x\"", "1"), "a node's id, from 1 on, expected" },
        { "{\"nodes\":[" ROOT("") REST("0", "1"), "a node's id" },
        { "{\"nodes\":[" ROOT("") REST("1.5", "1"), "a node's id" },
        { "{\"nodes\":[" ROOT("") REST("4294967295", "1"), "a node's id" },
        { "{\"nodes\":[" ROOT("") REST("1", "null"), "microseconds expected" },
        { "{\"nodes\":[" ROOT("") ",7" REST("1", "1"), "a node expected" },
        { "{\"nodes\":{}}", "an array expected" },
        { "{\"nodes\":[{\"id\":1}]}", "node 1 has no \"functionName\"" },
        { "{\"nodes\":[{\"id\":1,\"callFrame\":7}]}", "a call frame expected" },
        { "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":{}}}]}", "a text expected" },
        { "{\"nodes\":[{\"id\":1,\"callFrame\":{\"lineNumber\":-2}}]}",
          "a line or column expected" },
        { "{\"nodes\":[{\"callFrame\":{\"functionName\":\"f\"}}]}", "node 1 has no \"id\"" },
        { "{\"nodes\":[" ROOT("") "," ROOT("") REST("", ""), "two nodes have the id 1" },
        { "{\"nodes\":[" ROOT(",\"children\":[8]") REST("", ""),
          "a child 8, which does not exist" },
        { "{\"nodes\":[" ROOT("") "," NODE("2", "f", ",\"parent\":8") REST("", ""),
          "the parent 8, which does not exist" },
        { "{\"nodes\":[" ROOT(",\"children\":[2,2]") "," NODE("2", "f", "") REST("", ""),
          "node 2 has two parents" },
        { "{\"nodes\":[" ROOT(",\"children\":[2]") "," NODE("2", "f", ",\"children\":[1]")
              REST("", ""),
          "the first node, 1, is below node 2" },
        { "{\"nodes\":[" ROOT("") "," NODE("2", "f", "") REST("", ""),
          "node 2 is not below the first node" },
        { "{\"nodes\":[" ROOT("") "," NODE("2", "f", ",\"children\":[3]") "," NODE(
              "3", "g", ",\"children\":[2]") REST("", ""),
          "node 2 is not below the first node" },
        { "{\"nodes\":[" ROOT("") "," NODE("2", "f", ",\"children\":[2]") REST("", ""),
          "node 2 is not below the first node" },
        { "{\"nodes\":[" ROOT(",\"children\":[2,3]") "," NODE("2", "f", "") "," NODE(
              "3", "g", ",\"parent\":2") REST("", ""),
          "node 3 has two parents, 1 and 2" },
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        ck_assert_int_eq(read_text(wrong[i].text), -EPROTO);
        ck_assert_msg(strstr(problem, wrong[i].problem) != NULL, "'%s' and not '%s'", problem,
                      wrong[i].problem);
        ck_assert_uint_eq(told.threads, 0);
    }
}
END_TEST

/* Wherever it is cut, it is an error, and nothing is told. */
START_TEST(a_file_that_is_cut_short_is_refused)
{
    static const char text[] =
        "{\"nodes\":[" ROOT(",\"children\":[2]") "," NODE("2", "f", ",\"parent\":1")
            REST("1,2", "1,2");
    char cut[sizeof(text)];
    ck_assert_int_eq(read_text(text), 0);
    for (size_t length = 1; length < sizeof(text) - 1; length++) {
        memcpy(cut, text, length);
        cut[length] = '\0';
        ck_assert_int_eq(read_text(cut), -EPROTO);
        ck_assert_uint_eq(told.threads, 0);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.cpuprofile");
    TCase *all = tcase_create("all");
    tcase_add_test(all, children_and_samples_are_a_thread);
    tcase_add_test(all, parents_do_as_well_and_come_in_any_order);
    tcase_add_test(all, names_tell_script_and_place);
    tcase_add_test(all, meta_nodes_have_no_place);
    tcase_add_test(all, names_go_on_behind_a_nul);
    tcase_add_test(all, what_is_wrong_is_told);
    tcase_add_test(all, a_file_that_is_cut_short_is_refused);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
