/* Small captures of this very program, the pass over them, and a look at its result. */
#ifndef TESTS_UNIT_SYMBOLICATE_SCENE_H
#define TESTS_UNIT_SYMBOLICATE_SCENE_H

#include <check.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profctl/naming/symbolicate.h"
#include "tests/unit/json_text.h"

__attribute__((noinline)) static int plain_function(int x)
{
    __asm__ volatile("nop; nop; nop; nop" : "+r"(x));
    return x * 3;
}

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

static struct capture_counts counts;
static const struct symbolicate_events *watch; /* NULL: none */

/* Runs the pass over TEXT; *OUT is the result, parsed, when it succeeded. */
static int symbolicate_text(const char *text, bool with_names, cJSON **out)
{
    struct text named = { 0 };
    struct symbol_cache *cache = NULL;
    struct failure_latch latch;
    struct json_writer writer;
    struct json_reader *reader;
    int error;

    failure_latch_init(&latch);
    json_writer_init_sink(&writer, append_text, &named, &latch);
    ck_assert_int_eq(json_reader_open_memory(text, strlen(text), &reader), 0);
    if (with_names)
        ck_assert_int_eq(symbol_cache_create(&cache), 0);
    error = symbolicate_profile(reader, &writer, cache, &counts, watch);
    if (error == 0)
        error = json_writer_flush(&writer);
    if (error == 0)
        *out = parse_json(&named);
    else
        free(named.bytes);
    json_writer_fini(&writer);
    json_reader_close(reader);
    symbol_cache_free(cache);
    return error;
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

#endif
