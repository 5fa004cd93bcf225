/* What has changed between two profiles, as JSON. */
#include <string.h>

#include "common/time_units.h"
#include "profctl/profile/frame_name.h"
#include "profctl/report/report_diff.h"
#include "profctl/report/report_output.h"

static void put_side(struct json_writer *json, const struct report_diff *diff, enum diff_side side,
                     const char *file)
{
    const struct report *table = &diff->tables[side];

    json_start_object_property(json, side == DIFF_BEFORE ? "before" : "after");
    json_string_property(json, "file", file);
    json_u64_property(json, "processes", table->processes);
    json_u64_property(json, "samples", table->size.ranked_samples);
    json_double_property(json, "sampledMs", diff->is_by_cpu ? diff->sampled[side] / NS_PER_MS : 0);
    json_double_property(json, "notSampledMs", table->size.not_sampled_ns / NS_PER_MS);
    json_double_property(json, "notProfiledMs", table->absent_ns / NS_PER_MS);
    json_end_object(json);
}

static void put_measure(struct json_writer *json, const struct report_diff *diff, const char *name,
                        const struct diff_measure *measure)
{
    double unit = diff->is_by_cpu ? NS_PER_MS : 1;

    json_start_object_property(json, name);
    if (diff->is_by_cpu) {
        json_double_property(json, "beforeMs", measure->amount[DIFF_BEFORE] / unit);
        json_double_property(json, "afterMs", measure->amount[DIFF_AFTER] / unit);
    }
    json_u64_property(json, "beforeSamples", measure->samples[DIFF_BEFORE]);
    json_u64_property(json, "afterSamples", measure->samples[DIFF_AFTER]);
    json_double_property(json, "beforeShare", measure->share[DIFF_BEFORE]);
    json_double_property(json, "afterShare", measure->share[DIFF_AFTER]);
    json_double_property(json, "change", measure->change / (diff->compares_shares ? 1 : unit));
    if (measure->verdict == DIFF_TOO_FEW)
        json_null_property(json, "probability");
    else
        json_double_property(json, "probability", measure->probability);
    json_bool_property(json, "significant", measure->verdict == DIFF_SIGNIFICANT);
    json_end_object(json);
}

static void put_name(struct json_writer *json, const struct function_diff *function)
{
    struct frame_name_parts parts;

    frame_name_split(function->name, function->length, &parts);
    json_name(json, "function");
    json_string_bytes(json, parts.function, parts.function_length);
    json_name(json, "library");
    if (parts.source == NULL || !parts.is_library)
        json_null(json);
    else
        json_string_bytes(json, parts.source, parts.source_length);
}

static void put_function(struct json_writer *json, const struct report_diff *diff,
                         const struct function_diff *function)
{
    json_start_object(json);
    put_name(json, function);
    json_string_property(json, "in",
                         !function->is_in[DIFF_BEFORE]  ? "after"
                         : !function->is_in[DIFF_AFTER] ? "before"
                                                        : "both");
    put_measure(json, diff, "self", &function->self);
    put_measure(json, diff, "total", &function->total);
    json_end_object(json);
}

int report_diff_print_json(const struct report_diff *diff, const char *const files[DIFF_SIDES],
                           uint64_t n, FILE *out)
{
    const struct function_diff *functions = diff->functions.items;
    struct report_json json;
    struct json_writer *writer = &json.writer;

    report_json_begin(&json, out);
    put_side(writer, diff, DIFF_BEFORE, files[DIFF_BEFORE]);
    put_side(writer, diff, DIFF_AFTER, files[DIFF_AFTER]);
    json_string_property(writer, "amountsOf", diff->is_by_cpu ? "cpuMs" : "samples");
    json_string_property(writer, "compared", diff->compares_shares ? "share" : "cpuMs");
    json_string_property(writer, "test",
                         diff->compares_shares ? "Fisher, Holm" : "Poisson rates, Holm");
    json_double_property(writer, "level", REPORT_DIFF_LEVEL);
    json_u64_property(writer, "comparisons", diff->comparisons);
    json_start_array_property(writer, "functions");
    for (size_t i = 0; i < diff->functions.count && i < n; i++)
        put_function(writer, diff, &functions[i]);
    json_end_array(writer);
    return report_json_end(&json, out);
}
