/* The symbolicating pass, over small captures of this very program. Needs to be compiled with -g.
 */
#include <check.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profctl/naming/symbolicate.h"

/* --- What is looked up: functions of this program --- */

__attribute__((noinline)) static int plain_function(int x)
{
    __asm__ volatile("nop; nop; nop; nop" : "+r"(x));
    return x * 3;
}

static inline __attribute__((always_inline)) void *inlined_function(void)
{
    void *address;

    __asm__ volatile("1: lea 1b(%%rip), %0" : "=r"(address));
    return address;
}

__attribute__((noinline)) static void *outer_function(void)
{
    void *address = inlined_function();

    __asm__ volatile("" : "+r"(address));
    return address;
}

/* --- This program as a library of a capture --- */

static char program_path[4096];
static uint64_t load_bias;

static int keep_bias(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    load_bias = info->dlpi_addr;
    return 1; /* the first one is the program */
}

static void find_program(void)
{
    ssize_t length = readlink("/proc/self/exe", program_path, sizeof(program_path) - 1);

    ck_assert_int_gt(length, 0);
    program_path[length] = '\0';
    dl_iterate_phdr(keep_bias, NULL);
}

/* --- Captures --- */

static const char *const thread_format =
    "{\"name\":\"GeckoMain\",\"processName\":\"test\",\"pid\":0,\"tid\":1,"
    "\"stringTable\":%s,"
    "\"frameTable\":{\"schema\":{\"location\":0,\"relevantForJS\":1,\"innerWindowID\":2,"
    "\"implementation\":3,\"line\":4,\"column\":5,\"category\":6,\"subcategory\":7},\"data\":%s},"
    "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":%s},"
    "\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"eventDelay\":2,\"threadCPUDelta\":3},"
    "\"data\":%s},"
    "\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,\"category\":4,"
    "\"data\":5},\"data\":%s}}";

struct thread_text {
    char strings[512];
    const char *frames, *stacks, *samples, *markers;
};

static char *make_capture(const struct thread_text *thread, const char *build_id)
{
    char *text, *capture;

    ck_assert_int_gt(asprintf(&text, thread_format, thread->strings, thread->frames, thread->stacks,
                              thread->samples, thread->markers),
                     0);
    ck_assert_int_gt(
        asprintf(&capture,
                 "{\"meta\":{\"version\":36},\"libs\":[],\"threads\":[],"
                 "\"processes\":[{\"meta\":{\"version\":36},\"libs\":[{\"start\":%" PRIu64
                 ",\"end\":%" PRIu64 ",\"offset\":0,\"name\":\"test(1)\",\"path\":\"%s\","
                 "\"codeId\":%s}],\"threads\":[%s],\"processes\":[]}]}",
                 load_bias, load_bias + (64 << 20), program_path, build_id, text),
        0);
    free(text);
    return capture;
}

struct buffer {
    char *bytes;
    size_t count;
};

static int append_text(void *context, const char *bytes, size_t count)
{
    struct buffer *buffer = context;

    buffer->bytes = realloc(buffer->bytes, buffer->count + count + 1);
    ck_assert_ptr_nonnull(buffer->bytes);
    memcpy(buffer->bytes + buffer->count, bytes, count);
    buffer->count += count;
    buffer->bytes[buffer->count] = '\0';
    return 0;
}

static struct capture_counts counts;
static const struct symbolicate_events *watch; /* NULL: none */

/* Runs the pass over TEXT; *OUT is the result, parsed, when it succeeded. */
static int symbolicate_text(const char *text, bool with_names, cJSON **out)
{
    struct buffer buffer = { 0 };
    struct symbol_cache *cache = NULL;
    struct failure_latch latch;
    struct json_writer writer;
    struct json_reader *reader;
    int error;

    failure_latch_init(&latch);
    json_writer_init_sink(&writer, append_text, &buffer, &latch);
    ck_assert_int_eq(json_reader_open_memory(text, strlen(text), &reader), 0);
    if (with_names)
        ck_assert_int_eq(symbol_cache_create(&cache), 0);
    error = symbolicate_profile(reader, &writer, cache, &counts, watch);
    if (error == 0)
        error = json_writer_flush(&writer);
    if (error == 0) {
        *out = cJSON_Parse(buffer.bytes);
        ck_assert_ptr_nonnull(*out);
    }
    json_writer_fini(&writer);
    json_reader_close(reader);
    symbol_cache_free(cache);
    free(buffer.bytes);
    return error;
}

/* --- Looking at results --- */

static const cJSON *get_member(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    ck_assert_msg(item != NULL, "no \"%s\"", name);
    return item;
}

static const cJSON *only_thread(const cJSON *root)
{
    const cJSON *process = cJSON_GetArrayItem(get_member(root, "processes"), 0);

    return cJSON_GetArrayItem(get_member(process, "threads"), 0);
}

static int cell_value(const cJSON *thread, const char *table, int row, int column)
{
    const cJSON *item = cJSON_GetArrayItem(
        cJSON_GetArrayItem(get_member(get_member(thread, table), "data"), row), column);

    return cJSON_IsNumber(item) ? item->valueint : -1;
}

static const char *string_at(const cJSON *thread, int index)
{
    return cJSON_GetArrayItem(get_member(thread, "stringTable"), index)->valuestring;
}

/* The functions of the stack of sample ROW, innermost first, joined by " < ". */
static const char *stack_of(const cJSON *thread, int row)
{
    static char text[512];
    const char *separator = "";

    text[0] = '\0';
    for (int stack = cell_value(thread, "samples", row, 0); stack >= 0;
         stack = cell_value(thread, "stackTable", stack, 0)) {
        int location =
            cell_value(thread, "frameTable", cell_value(thread, "stackTable", stack, 1), 0);

        strcat(text, separator);
        strcat(text, string_at(thread, location));
        separator = " < ";
    }
    return text;
}

static const char *const one_sample = "[[0,1.5,0,7]]";

/* One native frame at ADDRESS. */
static struct thread_text native_thread(uint64_t address)
{
    struct thread_text thread = { .frames = "[[0,false,null,null,null,null,2,0]]",
                                  .stacks = "[[null,0]]",
                                  .samples = one_sample,
                                  .markers = "[]" };

    snprintf(thread.strings, sizeof(thread.strings), "[\"0x%" PRIx64 "\"]", address);
    return thread;
}

/* --- Tests --- */

START_TEST(two_addresses_of_a_function_are_one_function)
{
    uint64_t address = (uint64_t)(uintptr_t)plain_function;
    struct thread_text thread = { .frames = "[[0,false,null,null,null,null,2,0],"
                                            "[1,false,null,null,null,null,2,0]]",
                                  .stacks = "[[null,0],[null,1]]",
                                  .samples = "[[0,1,0,7],[1,2,0,7],[null,3,0,0]]",
                                  .markers = "[]" };
    char *capture;
    cJSON *root;

    snprintf(thread.strings, sizeof(thread.strings), "[\"0x%" PRIx64 "\",\"0x%" PRIx64 "\"]",
             address, address + 1);
    capture = make_capture(&thread, "null");
    ck_assert_int_eq(symbolicate_text(capture, true, &root), 0);
    ck_assert_str_eq(stack_of(only_thread(root), 0), "plain_function (in test[1])");
    ck_assert_str_eq(stack_of(only_thread(root), 1), "plain_function (in test[1])");
    ck_assert_int_eq(cJSON_GetArraySize(get_member(only_thread(root), "stringTable")),
                     2); /* a file */
    ck_assert_int_eq(cell_value(only_thread(root), "samples", 2, 0), -1);
    ck_assert_uint_eq(counts.samples, 3);
    ck_assert_uint_eq(counts.processes, 1);
    ck_assert_uint_eq(counts.named, 2);
    cJSON_Delete(root);
    free(capture);
}
END_TEST

START_TEST(an_inlined_function_is_a_frame_of_its_own)
{
    struct thread_text thread = native_thread((uint64_t)(uintptr_t)outer_function());
    char *capture = make_capture(&thread, "null");
    cJSON *root;
    int innermost;

    ck_assert_int_eq(symbolicate_text(capture, true, &root), 0);
    ck_assert_str_eq(stack_of(only_thread(root), 0),
                     "inlined_function (in test[1]) < outer_function (in test[1])");
    innermost = cell_value(only_thread(root), "stackTable",
                           cell_value(only_thread(root), "samples", 0, 0), 1);
    ck_assert_int_gt(cell_value(only_thread(root), "frameTable", innermost, 4), 0);
    for (int frame = 0; frame < 2; frame++) {
        int file = cell_value(only_thread(root), "frameTable", frame, 8);
        ck_assert_int_ge(file, 0);
        ck_assert_ptr_nonnull(strstr(string_at(only_thread(root), file), "test_symbolicate.c"));
    }
    const cJSON *rows = get_member(get_member(only_thread(root), "frameTable"), "data");
    ck_assert(cJSON_IsTrue(cJSON_GetArrayItem(cJSON_GetArrayItem(rows, innermost), 9)));
    ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetArrayItem(rows, 1 - innermost)), 9);
    cJSON_Delete(root);
    free(capture);
}
END_TEST

/* The address behind a call that is a function's last instruction is already in the next one. */
START_TEST(a_caller_is_looked_up_before_its_return_address)
{
    struct thread_text thread = native_thread((uint64_t)(uintptr_t)plain_function);
    char *capture, callee[64];
    cJSON *root;

    snprintf(callee, sizeof(callee), "\"0x%" PRIx64 "\",", (uint64_t)(uintptr_t)plain_function + 1);
    snprintf(thread.strings, sizeof(thread.strings), "[%s\"0x%" PRIx64 "\"]", callee,
             (uint64_t)(uintptr_t)plain_function);
    thread.frames = "[[0,false,null,null,null,null,2,0],[1,false,null,null,null,null,2,0]]";
    thread.stacks = "[[null,1],[0,0]]";
    thread.samples = "[[1,1,0,7]]";
    capture = make_capture(&thread, "null");
    ck_assert_int_eq(symbolicate_text(capture, true, &root), 0);
    ck_assert_ptr_nonnull(strstr(stack_of(only_thread(root), 0), "plain_function (in test[1]) < "));
    ck_assert_ptr_null(strstr(stack_of(only_thread(root), 0), "< plain_function"));
    cJSON_Delete(root);
    free(capture);
}
END_TEST

START_TEST(labels_and_marker_names_stay)
{
    struct thread_text thread = { .strings = "[\"label\",\"0x10\",\"marker\",\"0x11\"]",
                                  .frames = "[[0,false,null,null,42,null,3,0],"
                                            "[1,false,null,null,null,null,2,0]]",
                                  .stacks = "[[null,0],[0,1]]",
                                  .samples = "[[1,1,0,7],[0,2,0,7]]",
                                  .markers = "[[2,1,null,0,1],[3,2,null,0,1,{\"type\":\"x\"}]]" };
    char *capture = make_capture(&thread, "null");
    cJSON *root;

    ck_assert_int_eq(symbolicate_text(capture, true, &root), 0);
    ck_assert_str_eq(stack_of(only_thread(root), 0), "unmapped 0x10 < label");
    ck_assert_str_eq(stack_of(only_thread(root), 1), "label");
    ck_assert_str_eq(string_at(only_thread(root), cell_value(only_thread(root), "markers", 0, 0)),
                     "marker");
    ck_assert_str_eq(string_at(only_thread(root), cell_value(only_thread(root), "markers", 1, 0)),
                     "0x11");
    ck_assert_uint_eq(counts.markers, 2);
    cJSON_Delete(root);
    free(capture);
}
END_TEST

START_TEST(only_the_root_is_marked_as_symbolicated)
{
    struct thread_text thread = native_thread((uint64_t)(uintptr_t)plain_function);
    char *capture = make_capture(&thread, "null");
    const cJSON *process;
    cJSON *root;

    ck_assert_int_eq(symbolicate_text(capture, true, &root), 0);
    process = cJSON_GetArrayItem(get_member(root, "processes"), 0);
    ck_assert(cJSON_IsTrue(get_member(get_member(root, "meta"), "presymbolicated")));
    ck_assert_ptr_null(cJSON_GetObjectItem(get_member(process, "meta"), "presymbolicated"));
    cJSON_Delete(root);
    free(capture);
}
END_TEST

START_TEST(without_symbols_addresses_stay)
{
    struct thread_text thread = native_thread((uint64_t)(uintptr_t)plain_function);
    char *capture = make_capture(&thread, "null"), address[32];
    cJSON *root;

    snprintf(address, sizeof(address), "0x%" PRIx64, (uint64_t)(uintptr_t)plain_function);
    ck_assert_int_eq(symbolicate_text(capture, false, &root), 0);
    ck_assert_str_eq(stack_of(only_thread(root), 0), address);
    ck_assert_ptr_null(cJSON_GetObjectItem(get_member(root, "meta"), "presymbolicated"));
    cJSON_Delete(root);
    free(capture);
}
END_TEST

START_TEST(a_file_with_another_build_id_is_not_used)
{
    struct thread_text thread = native_thread((uint64_t)(uintptr_t)plain_function);
    char *capture = make_capture(&thread, "\"0123456789abcdef0123456789abcdef01234567\"");
    char address[32];
    cJSON *root;

    snprintf(address, sizeof(address), "0x%" PRIx64, (uint64_t)(uintptr_t)plain_function);
    ck_assert_int_eq(symbolicate_text(capture, true, &root), 0);
    ck_assert_str_eq(stack_of(only_thread(root), 0), address);
    ck_assert_uint_eq(counts.unnamed, 1);
    cJSON_Delete(root);
    free(capture);
}
END_TEST

static const struct {
    const char *what;
    struct thread_text thread;
} broken[] = {
    { "a location out of range",
      { "[\"a\"]", "[[1,false,null,null,null,null,2,0]]", "[]", "[]", "[]" } },
    { "a frame out of range", { "[]", "[]", "[[null,0]]", "[]", "[]" } },
    { "a prefix that points forwards",
      { "[\"a\"]", "[[0,false,null,null,null,null,2,0]]", "[[0,0]]", "[]", "[]" } },
    { "a stack out of range",
      { "[\"a\"]", "[[0,false,null,null,null,null,2,0]]", "[[null,0]]", "[[1,1,0,7]]", "[]" } },
    { "a marker's name out of range", { "[\"a\"]", "[]", "[]", "[]", "[[1,1,null,0,1]]" } },
    { "strings that come again",
      { "[\"a\"]", "[]", "[]", "[]",
        "[]},\"stringTable\":[\"a\",\"b\"],\"markers\":{\"data\":[[1,1,null,0,1]]" } },
    { "a string that is a number", { "[1]", "[]", "[]", "[]", "[]" } },
    { "samples that are no rows", { "[]", "[]", "[]", "[1]", "[]" } },
    { "an index with a fraction",
      { "[\"a\"]", "[[0.5,false,null,null,null,null,2,0]]", "[]", "[]", "[]" } },
};

START_TEST(broken_captures_are_refused)
{
    char *capture = make_capture(&broken[_i].thread, "null");
    cJSON *root;

    ck_assert_msg(symbolicate_text(capture, true, &root) == -EPROTO, "%s", broken[_i].what);
    free(capture);
}
END_TEST

static const char *const no_captures[] = {
    "",
    "[]",
    "{\"processes\":{}}",
    "{\"processes\":[{\"threads\":[{}]}]}",
    "{\"threads\":[{\"samples\":{\"data\":[]}}]}",
    "{\"libs\":[{\"start\":\"x\"}]}",
    "{\"libs\":[{\"start\":1,\"end\":2,\"offset\":0}]}",
    "{\"meta\":{}} more",
    "{\"meta\":{}",
};

START_TEST(what_is_no_capture_is_refused)
{
    cJSON *root;

    ck_assert_msg(symbolicate_text(no_captures[_i], true, &root) == -EPROTO, "%s", no_captures[_i]);
}
END_TEST

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

int main(void)
{
    Suite *suite = suite_create("profctl.symbolicate");
    TCase *names = tcase_create("names"), *malformed = tcase_create("malformed");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(names, find_program, NULL);
    tcase_add_test(names, two_addresses_of_a_function_are_one_function);
    tcase_add_test(names, an_inlined_function_is_a_frame_of_its_own);
    tcase_add_test(names, a_caller_is_looked_up_before_its_return_address);
    tcase_add_test(names, labels_and_marker_names_stay);
    tcase_add_test(names, only_the_root_is_marked_as_symbolicated);
    tcase_add_test(names, without_symbols_addresses_stay);
    tcase_add_test(names, a_file_with_another_build_id_is_not_used);
    tcase_add_checked_fixture(malformed, find_program, NULL);
    tcase_add_loop_test(malformed, broken_captures_are_refused, 0, COUNT_OF(broken));
    tcase_add_loop_test(malformed, what_is_no_capture_is_refused, 0, COUNT_OF(no_captures));
    suite_add_tcase(suite, names);
    suite_add_tcase(suite, malformed);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
