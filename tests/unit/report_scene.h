/* Profiles as text, and the report that is read from one. */
#ifndef TESTS_UNIT_REPORT_SCENE_H
#define TESTS_UNIT_REPORT_SCENE_H

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "profctl/report/report.h"

/* main calls work, which calls itself and leaf. */
#define TABLES                                                                                     \
    "\"stringTable\":[\"main (in app)\",\"work (in app)\",\"leaf (in lib)\",\"0x1010\"],"          \
    "\"frameTable\":{\"schema\":{\"location\":0,\"line\":4,\"category\":6},\"data\":"              \
    "[[0],[1],[2],[3]]},"                                                                          \
    "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":"                              \
    "[[null,0],[0,1],[1,1],[2,2],[0,3]]},"

#define THREAD(process, name, samples)                                                             \
    "{\"name\":\"" name "\",\"processName\":\"" process "\"," TABLES                               \
    "\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"eventDelay\":2,\"threadCPUDelta\":3},"      \
    "\"data\":[" samples "]}}"

#define PROCESS(threads)                                                                           \
    "{\"meta\":{},\"libs\":[{\"start\":4096,\"end\":8192,\"offset\":256,\"name\":\"lib\","         \
    "\"path\":\"/lib\",\"codeId\":null}],\"threads\":[" threads "]}"

#define PROFILE(processes)                                                                         \
    "{\"meta\":{\"sampleUnits\":{\"time\":\"ms\",\"threadCPUDelta\":\"µs\"}},\"threads\":[],"     \
    "\"processes\":[" processes "]}"

static struct report report;

static int read_text(const char *text, bool count_idle)
{
    struct json_reader *reader;
    int error;

    ck_assert_int_eq(json_reader_open_memory(text, strlen(text), &reader), 0);
    error = report_read(reader, count_idle, &report);
    json_reader_close(reader);
    return error;
}

static void free_report(void)
{
    report_free(&report);
}

static inline struct report_process *group_at(size_t index)
{
    ck_assert_uint_lt(index, report.groups.count);
    return ((struct report_process **)report.groups.items)[index];
}

static inline struct report_thread *thread_of(struct report_process *process, size_t index)
{
    ck_assert_uint_lt(index, process->threads.count);
    return ((struct report_thread **)process->threads.items)[index];
}

static inline struct function_count count_of(const struct report_thread *thread,
                                             const char *function)
{
    for (uint32_t i = 0; i < thread->counts.count; i++) {
        size_t length;
        const char *name = unique_strings_get(&thread->functions, i, &length);

        if (length == strlen(function) && memcmp(name, function, length) == 0)
            return ((struct function_count *)thread->counts.items)[i];
    }
    return (struct function_count){ 0 };
}

static char *printed_text(uint64_t top, bool as_json)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    ck_assert_ptr_nonnull(out);
    if (as_json)
        ck_assert_int_eq(report_print_json(&report, "file.json", top, out), 0);
    else
        report_print_text(&report, "file.json", top, out);
    fclose(out);
    return text;
}

#define SESSION(processes)                                                                         \
    "{\"meta\":{\"interval\":1},\"threads\":[],\"profilingLog\":{\"1\":{\"log\":[]}},"             \
    "\"processes\":[" processes "]}"

#endif
