/* profctl.processed: profiles in the Firefox Profiler's processed format. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/convert/profile_format.h"
#include "profctl/processed/busiest_threads.h"
#include "tests/unit/run_suite.h"

#define FRAMES(data)                                                                               \
    "\"frameTable\":{\"schema\":{\"location\":0,\"line\":1,\"category\":2,\"subcategory\":3},"     \
    "\"data\":[" data "]}"
#define STACKS(data) "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[" data "]}"
#define SAMPLES(data)                                                                              \
    "\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"threadCPUDelta\":2,\"eventDelay\":3},"      \
    "\"data\":[" data "]}"
#define MARKERS(data)                                                                              \
    "\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,\"category\":"  \
    "4,"                                                                                           \
    "\"data\":5},\"data\":[" data "]}"
#define CAUSE(stack)                                                                               \
    "\"stack\":{\"name\":\"SyncProfile\",\"tid\":8,\"samples\":{\"schema\":{\"stack\":0,\"time\":" \
    "1},"                                                                                          \
    "\"data\":[[" stack ",1.5]]}}"
#define COUNTER(name)                                                                              \
    "{\"name\":\"" name                                                                            \
    "\",\"category\":\"Memory\",\"description\":\"d\",\"samples\":{\"schema\":"                    \
    "{\"time\":0,\"count\":1,\"number\":2},\"data\":[[1,5,1],[2.5,-3,2]]}}"
#define TYPES                                                                                      \
    "[{\"name\":\"request\",\"display\":[\"marker-table\"],\"data\":[{\"key\":\"url\",\"label\":"  \
    "\"URL\",\"format\":\"unique-string\",\"searchable\":true},{\"label\":\"Description\","        \
    "\"value\":\"what it is\"},{\"key\":\"n\",\"format\":\"integer\",\"hidden\":true}]}]"

/* Two processes of one program: a calls b, which is an address in a library in the second. The
 * root's "meta" stands last, as in captures. */
#define PROFILE(samples, markers)                                                                                                                                               \
    "{\"libs\":[],\"pausedRanges\":[],\"threads\":[{\"name\":\"GeckoMain\",\"processName\":"                                                                                    \
    "\"profd\",\"pid\":1,\"tid\":1,\"registerTime\":0,\"unregisterTime\":null,\"stringTable\":[]"                                                                               \
    "," FRAMES("") "," STACKS("") "," SAMPLES(                                                                                                                                  \
        "[null,1,0,0]") "}],\"processes\":["                                                                                                                                    \
                        "{\"meta\":{\"shutdownTime\":9.5,\"markerSchema\":" TYPES                                                                                               \
                        "},\"pausedRanges\":["                                                                                                                                  \
                        "{\"startTime\":1,\"endTime\":2,\"reason\":\"profiler-paused\"}],"                                                                                      \
                        "\"threads\":[{\"name\":"                                                                                                                               \
                        "\"GeckoMain\",\"processName\":\"app\",\"pid\":7,\"tid\":7,"                                                                                            \
                        "\"registerTime\":0.5,"                                                                                                                                 \
                        "\"unregisterTime\":9,\"stringTable\":[\"a (in app)\",\"b (in "                                                                                         \
                        "lib)\",\"label\",\"GET\","                                                                                                                             \
                        "\"run (x.py:3:4)\"]," FRAMES("[0,12,2,1],[1,0,2,0],[2,0,1,0],[4,5,1,0]") "," STACKS("[null,0],[0,1],[1,2],[null,3]") "," SAMPLES(samples) "," MARKERS( \
                            markers) "}],\"counters\":[" COUNTER("memory") "]},"                                                                                                \
                                                                           "{\"libs\":[{"                                                                                       \
                                                                           "\"start\":4096,"                                                                                    \
                                                                           "\"end\":8192,"                                                                                      \
                                                                           "\"offset\":0,"                                                                                      \
                                                                           "\"name\":\"lib\","                                                                                  \
                                                                           "\"path\":\"/lib\","                                                                                 \
                                                                           "\"breakpadId\":"                                                                                    \
                                                                           "\"0403020106050807090"                                                                              \
                                                                           "A0B0C0D0E0F100\","                                                                                  \
                                                                           "\"codeId\":"                                                                                        \
                                                                           "\"0102030405060708090"                                                                              \
                                                                           "a0b0c0d0e0f1011121314"                                                                              \
                                                                           "\"}],\"threads\":[{"                                                                                \
                                                                           "\"name\":"                                                                                          \
                                                                           "\"GeckoMain\","                                                                                     \
                                                                           "\"processName\":"                                                                                   \
                                                                           "\"app\",\"pid\":"                                                                                   \
                                                                           "\"8\",\"tid\":8,"                                                                                   \
                                                                           "\"stringTable\":[\"a "                                                                              \
                                                                           "(in app)\","                                                                                        \
                                                                           "\"0x1010\"]," FRAMES("[0,12,2,1],[1,0,2,0]") "," STACKS(                                            \
                                                                               "[null,0],[0,1],["                                                                               \
                                                                               "1,1]") ","                                                                                      \
                                                                                       "\"samples"                                                                              \
                                                                                       "\":{"                                                                                   \
                                                                                       "\"schema"                                                                               \
                                                                                       "\":{"                                                                                   \
                                                                                       "\"stack\""                                                                              \
                                                                                       ":0,"                                                                                    \
                                                                                       "\"time\":"                                                                              \
                                                                                       "1},"                                                                                    \
                                                                                       "\"data\":"                                                                              \
                                                                                       "[[0,1],["                                                                               \
                                                                                       "2,2]]}}]}"                                                                              \
                                                                                       "],"                                                                                     \
                                                                                       "\"meta\":"                                                                              \
                                                                                       "{\"interv"                                                                              \
                                                                                       "al\":1,"                                                                                \
                                                                                       "\"startTi"                                                                              \
                                                                                       "me\":"                                                                                  \
                                                                                       "1000.25,"                                                                               \
                                                                                       "\"product"                                                                              \
                                                                                       "\":"                                                                                    \
                                                                                       "\"it\","                                                                                \
                                                                                       "\"presymb"                                                                              \
                                                                                       "olicated"                                                                               \
                                                                                       "\":true,"                                                                               \
                                                                                       "\"debug\""                                                                              \
                                                                                       ":0,"                                                                                    \
                                                                                       "\"categor"                                                                              \
                                                                                       "ies\":[{"                                                                               \
                                                                                       "\"name\":"                                                                              \
                                                                                       "\"Other\""                                                                              \
                                                                                       "}],"                                                                                    \
                                                                                       "\"markerS"                                                                              \
                                                                                       "chema\""                                                                                \
                                                                                       ":" TYPES                                                                                \
                                                                                       "}}"

#define SOME_SAMPLES "[1,1,1000,0],[2,2.5,2000,8],[null,4,500,null]"
#define SOME_MARKERS                                                                               \
    "[2,3,null,0,1,{\"type\":\"request\",\"url\":3,\"n\":3," CAUSE(                                \
        "2") "}],[2,2,null,2,1,null],"                                                             \
             "[2,null,2.5,3,1,{\"type\":\"other\",\"url\":3}],[2,1,4,1,1,{\"url\":\"text\","       \
             "\"type\":"                                                                           \
             "\"request\"}],[2,6,null,0,1,{\"type\":\"Native "                                     \
             "allocation\",\"size\":64,\"memoryAddress\":"                                         \
             "4096,\"threadId\":7," CAUSE(                                                         \
                 "1") "}],[2,5,null,0,1,{\"type\":\"Native allocation\","                          \
                      "\"size\":-64,\"memoryAddress\":4096,\"threadId\":8}]"

enum { MAX_BYTES = 64 * 1024 };

static char written[MAX_BYTES];
static size_t bytes;

static int write_bytes(void *context, const char *text, size_t count)
{
    (void)context;
    ck_assert_uint_lt(bytes + count, MAX_BYTES);
    memcpy(written + bytes, text, count);
    bytes += count;
    return 0;
}

static void *state;

static int on_thread(void *owner, const struct profile_thread *thread)
{
    (void)owner;
    return format_processed.add_thread(state, thread);
}

static int on_process(void *owner, bool is_root, struct process_log *log)
{
    (void)owner;
    return format_processed.add_process(state, is_root, log);
}

static int on_counter(void *owner, const struct profile_counter *counter)
{
    (void)owner;
    return format_processed.add_counter(state, counter);
}

static int on_meta(void *owner, const char *name, const char *json, size_t length)
{
    (void)owner;
    return format_processed.add_meta(state, name, json, length);
}

static int convert_profile(const char *profile)
{
    static const struct profile_walk_events events = { .on_thread = on_thread,
                                                       .on_process = on_process,
                                                       .on_counter = on_counter,
                                                       .on_meta = on_meta,
                                                       .wants_markers = true };
    struct profile_facts facts;
    struct json_reader *reader;

    bytes = 0;
    ck_assert_int_eq(json_reader_open_memory(profile, strlen(profile), &reader), 0);
    ck_assert_int_eq(format_processed.begin(write_bytes, NULL, &state), 0);
    int error = profile_walk(reader, &events, NULL, &facts);
    if (error == 0)
        error = format_processed.finish(state, &facts);
    format_processed.end(state);
    json_reader_close(reader);
    written[bytes] = '\0';
    return error;
}

static void expect_text(const char *text)
{
    ck_assert_msg(strstr(written, text) != NULL, "no %s in %.2500s", text, written);
}

static void set_up(void)
{
    ck_assert_int_eq(convert_profile(PROFILE(SOME_SAMPLES, SOME_MARKERS)), 0);
}

START_TEST(all_of_it_is_json)
{
    struct json_reader *reader;
    ck_assert_int_eq(json_reader_open_memory(written, bytes, &reader), 0);
    ck_assert_int_eq(json_reader_next(reader), JSON_TOKEN_START_OBJECT);
    ck_assert_int_eq(json_reader_skip(reader), 0);
    ck_assert_int_eq(json_reader_next(reader), JSON_TOKEN_END);
    json_reader_close(reader);
}
END_TEST

START_TEST(samples_weigh_cpu_time)
{
    expect_text("\"stack\":[1,2,null],\"timeDeltas\":[1,1.5,1.5],\"eventDelay\":[0,8,0],"
                "\"threadCPUDelta\":[1000000,2000000,500000],\"weight\":[");
    expect_text("],\"weight\":[1,2,0],\"weightType\":\"tracing-ms\"");
    expect_text("\"stack\":[0,5],\"timeDeltas\":[1,1],\"weight\":null,\"weightType\":\"samples\"");
}
END_TEST

START_TEST(stacks_are_shared)
{
    /* The second process' a is the first's; its addresses are a caller's and where it was. */
    expect_text(
        "\"stackTable\":{\"length\":6,\"frame\":[0,1,2,3,4,5],\"prefixOffset\":[0,1,1,0,4,1]}");
    expect_text(
        "\"frameTable\":{\"length\":6,\"flags\":[20,4,4,20,6,6],\"address\":[0,0,0,0,15,16],"
        "\"category\":[2,2,1,1,2,2],\"subcategory\":[1,0,0,0,0,0],\"func\":[0,1,2,3,4,4]");
    expect_text("\"line\":[12,0,0,5,0,0]");
    expect_text("\"funcTable\":{\"length\":5,\"flags\":[4,4,0,61,4]");
    expect_text("\"lineNumber\":[0,0,0,3,0],\"columnNumber\":[0,0,0,4,0]");
    expect_text("\"type\":[1,1,5]");
}
END_TEST

START_TEST(libraries_have_the_ids_of_symbol_servers)
{
    expect_text(
        "\"libs\":[{\"arch\":\"x86_64\",\"name\":\"lib\",\"path\":\"/lib\",\"debugName\":\"lib\","
        "\"debugPath\":\"/lib\",\"breakpadId\":\"0403020106050807090A0B0C0D0E0F100\","
        "\"codeId\":\"0102030405060708090a0b0c0d0e0f1011121314\"}]");
}
END_TEST

START_TEST(markers_stand_in_the_order_of_their_ends)
{
    expect_text("\"markers\":{\"length\":4,");
    expect_text("\"startTime\":[2,null,3,1],\"endTime\":[null,2.5,null,4],\"phase\":[2,3,0,1]");
}
END_TEST

START_TEST(payloads_have_numbers_of_shared_strings_and_stacks)
{
    expect_text("\"n\":3,\"cause\":{\"tid\":8,\"time\":1.5,\"stack\":2}}");
    expect_text("{\"type\":\"other\",\"url\":3},"); /* of a type that says nothing of its fields */
    expect_text("{\"url\":\"text\",\"type\":\"request\"}");
    char *url = strstr(written, "{\"type\":\"request\",\"url\":");
    ck_assert_ptr_nonnull(url);
    long index = strtol(url + strlen("{\"type\":\"request\",\"url\":"), NULL, 10);
    char *string = strstr(written, "\"stringArray\":[") + strlen("\"stringArray\":[");
    for (; index > 0; index--)
        string = strchr(string, ',') + 1;
    ck_assert_int_eq(strncmp(string, "\"GET\"", 5), 0);
}
END_TEST

START_TEST(allocations_have_a_table)
{
    expect_text(
        "\"nativeAllocations\":{\"length\":2,\"weightType\":\"bytes\",\"time\":[5,6],"
        "\"weight\":[-64,64],\"stack\":[null,1],\"memoryAddress\":[4096,4096],\"threadId\":[8,7]}");
}
END_TEST

START_TEST(types_have_fields_and_describe_themselves)
{
    expect_text(
        "\"markerSchema\":[{\"display\":[\"marker-table\"],\"fields\":[{\"key\":\"url\",\"label\":"
        "\"URL\",\"format\":\"unique-string\"},{\"key\":\"n\",\"format\":\"integer\",\"hidden\":"
        "true}],\"name\":\"request\",\"description\":\"what it is\"}]");
}
END_TEST

START_TEST(counters_belong_to_the_main_thread_of_their_process)
{
    expect_text(
        "\"counters\":[{\"name\":\"memory\",\"category\":\"Memory\",\"description\":\"d\","
        "\"pid\":\"7\",\"mainThreadIndex\":1,\"samples\":{\"length\":2,\"timeDeltas\":[1,1.5],"
        "\"count\":[5,-3],\"number\":[1,2]},\"display\":{\"graphType\":\"line-accumulated\"");
}
END_TEST

START_TEST(threads_tell_when_they_were_there)
{
    expect_text("\"pid\":\"7\",\"tid\":7,\"processStartupTime\":0,\"processShutdownTime\":9.5,"
                "\"registerTime\":0.5,\"unregisterTime\":9,\"pausedRanges\":[{\"startTime\":1,");
    expect_text("\"pid\":\"8\",\"tid\":8,\"processStartupTime\":0,\"processShutdownTime\":null,"
                "\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],");
}
END_TEST

START_TEST(the_profile_tells_what_it_is_and_shows_busy_threads)
{
    expect_text("\"preprocessedProfileVersion\":75,\"interval\":1,\"startTime\":1000.25,"
                "\"symbolicated\":true,\"debug\":false,\"product\":\"it\"");
    expect_text("\"initialVisibleThreads\":[1,2],\"initialSelectedThreads\":[1]");
}
END_TEST

START_TEST(numbers_that_lead_nowhere_are_refused)
{
    static const char *const wrong[] = {
        PROFILE(SOME_SAMPLES, "[2,3,null,0,1,{\"type\":\"request\",\"url\":5}]"),
        PROFILE(SOME_SAMPLES, "[2,3,null,0,1,{\"type\":\"request\"," CAUSE("4") "}]"),
        PROFILE(SOME_SAMPLES, "[2,3,null,0,1,{\"type\":\"Native allocation\"," CAUSE("4") "}]"),
        PROFILE(SOME_SAMPLES, "[2,3,null,0,1,{\"type\":\"Native allocation\",\"size\":0.5}]"),
        PROFILE("[4,1,0,0]", SOME_MARKERS),
    };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        ck_assert_int_eq(convert_profile(wrong[i]), -EPROTO);
}
END_TEST

START_TEST(the_busiest_threads_are_kept_in_order)
{
    struct busiest_threads busiest = { .count = 0 };

    busiest_threads_add(&busiest, 0, 0); /* better than none */
    ck_assert_uint_eq(busiest.count, 1);
    for (uint32_t i = 1; i < 100; i++)
        busiest_threads_add(&busiest, i, i % 50);
    ck_assert_uint_eq(busiest.count, BUSIEST_THREADS);
    for (size_t i = 0; i < BUSIEST_THREADS; i++) {
        ck_assert_double_eq(busiest.threads[i].weight, 49 - (double)(i / 2));
        ck_assert_uint_eq(busiest.threads[i].index, 49 - i / 2 + (i % 2) * 50);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.processed");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, NULL);
    tcase_add_test(all, all_of_it_is_json);
    tcase_add_test(all, samples_weigh_cpu_time);
    tcase_add_test(all, stacks_are_shared);
    tcase_add_test(all, libraries_have_the_ids_of_symbol_servers);
    tcase_add_test(all, markers_stand_in_the_order_of_their_ends);
    tcase_add_test(all, payloads_have_numbers_of_shared_strings_and_stacks);
    tcase_add_test(all, allocations_have_a_table);
    tcase_add_test(all, types_have_fields_and_describe_themselves);
    tcase_add_test(all, counters_belong_to_the_main_thread_of_their_process);
    tcase_add_test(all, threads_tell_when_they_were_there);
    tcase_add_test(all, the_profile_tells_what_it_is_and_shows_busy_threads);
    tcase_add_test(all, numbers_that_lead_nowhere_are_refused);
    tcase_add_test(all, the_busiest_threads_are_kept_in_order);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
