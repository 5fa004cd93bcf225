/* The report on calls, as text and as JSON. */
#include <errno.h>
#include <string.h>

#include "profctl/report/calls_report.h"
#include "profctl/units.h"
#include "json/json_writer.h"

/* A name from the profile, which may be anything, on its line. */
static void put_name(const struct unique_strings *names, uint32_t index, FILE *out)
{
    size_t length;
    const char *name = unique_strings_get(names, index, &length);

    for (size_t i = 0; i < length; i++)
        putc_unlocked((unsigned char)name[i] < ' ' || name[i] == 0x7f ? '?' : name[i], out);
}

static size_t at_most(size_t count, uint64_t top)
{
    return count < top ? count : (size_t)top;
}

static void print_longest(const struct calls_report *report, uint64_t top, FILE *out)
{
    const struct reported_call *calls = report->longest.items;

    fputs("\nlongest calls\n  duration ms      self ms     start ms  function\n", out);
    for (size_t i = 0; i < at_most(report->longest.count, top); i++) {
        fprintf(out, "%13.1f%13.1f%13.1f  ", calls[i].duration_ms, calls[i].self_ms,
                calls[i].start_ms);
        put_name(&report->stacks.names, calls[i].function, out);
        fputs(", ", out);
        put_name(&report->threads, calls[i].thread, out);
        putc('\n', out);
    }
}

static void print_functions(const struct calls_report *report, uint64_t top, FILE *out)
{
    const struct function_calls *functions = report->functions.items;

    fputs("\nby function\n     total ms        calls    median ms       p99 ms   longest ms  "
          "function\n",
          out);
    for (size_t i = 0; i < at_most(report->functions.count, top); i++) {
        fprintf(out, "%13.1f%13llu%13.1f%13.1f%13.1f  ", functions[i].total_ms,
                (unsigned long long)functions[i].count, functions[i].median_ms, functions[i].p99_ms,
                functions[i].longest_ms);
        put_name(&report->stacks.names, functions[i].function, out);
        putc('\n', out);
    }
}

void calls_report_print_text(const struct calls_report *report, const char *file, uint64_t top,
                             FILE *out)
{
    char count[UNITS_TEXT_BYTES];

    fprintf(out,
            "%s: %s call%s, as they follow from samples: none is known more finely than those\n",
            file, units_format_count(report->calls, count), report->calls == 1 ? "" : "s");
    print_longest(report, top, out);
    print_functions(report, top, out);
}

/* --- JSON --- */

static int write_out(void *context, const char *bytes, size_t count)
{
    return fwrite(bytes, 1, count, context) == count ? 0 : -EIO;
}

static void put_json_name(struct json_writer *json, const char *key,
                          const struct unique_strings *names, uint32_t index)
{
    size_t length;
    const char *name = unique_strings_get(names, index, &length);

    json_name(json, key);
    json_string_bytes(json, name, length);
}

static void put_json_calls(struct json_writer *json, const struct calls_report *report,
                           uint64_t top)
{
    const struct reported_call *calls = report->longest.items;

    json_start_array_property(json, "longest");
    for (size_t i = 0; i < at_most(report->longest.count, top); i++) {
        json_start_object(json);
        put_json_name(json, "function", &report->stacks.names, calls[i].function);
        put_json_name(json, "thread", &report->threads, calls[i].thread);
        json_double_property(json, "startMs", calls[i].start_ms);
        json_double_property(json, "durationMs", calls[i].duration_ms);
        json_double_property(json, "selfMs", calls[i].self_ms);
        json_end_object(json);
    }
    json_end_array(json);
}

static void put_json_functions(struct json_writer *json, const struct calls_report *report,
                               uint64_t top)
{
    const struct function_calls *functions = report->functions.items;

    json_start_array_property(json, "functions");
    for (size_t i = 0; i < at_most(report->functions.count, top); i++) {
        json_start_object(json);
        put_json_name(json, "function", &report->stacks.names, functions[i].function);
        json_u64_property(json, "calls", functions[i].count);
        json_double_property(json, "totalMs", functions[i].total_ms);
        json_double_property(json, "medianMs", functions[i].median_ms);
        json_double_property(json, "p99Ms", functions[i].p99_ms);
        json_double_property(json, "longestMs", functions[i].longest_ms);
        json_end_object(json);
    }
    json_end_array(json);
}

int calls_report_print_json(const struct calls_report *report, const char *file, uint64_t top,
                            FILE *out)
{
    struct failure_latch latch;
    struct json_writer json;

    failure_latch_init(&latch);
    json_writer_init_sink(&json, write_out, out, &latch);
    json_start_object(&json);
    json_string_property(&json, "file", file);
    json_u64_property(&json, "calls", report->calls);
    put_json_calls(&json, report, top);
    put_json_functions(&json, report, top);
    json_end_object(&json);
    int err = json_writer_flush(&json);
    json_writer_fini(&json);
    if (err == 0 && putc('\n', out) == EOF)
        err = -EIO;
    return err;
}
