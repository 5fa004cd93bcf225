/* Counters of the machine, and why there are none: what profd itself has to say in a capture. */
#include "json/gecko/gecko_root_counters.h"
#include "json/gecko/gecko_root.h"
#include "json/gecko/gecko_schema.h"
#include "json/json_format.h"

static void stream_samples(struct json_writer *writer, const struct gecko_root_options *options,
                           const struct gecko_root_counter *counter)
{
    static const char *const columns[] = { "time", "count", "number", NULL };
    json_name(writer, "samples");
    gecko_start_table(writer, columns);
    for (size_t i = 0; i < counter->sample_count; i++) {
        const struct gecko_root_sample *sample = &counter->samples[i];
        if (sample->time_ns < options->session_start_ns || sample->time_ns > options->capture_ns)
            continue;
        json_start_array(writer);
        json_time_ms(writer, (int64_t)(sample->time_ns - options->reference_ns));
        json_i64(writer, sample->count);
        json_u64(writer, 0);
        json_end_array(writer);
    }
    gecko_end_table(writer);
}

static void stream_counters(struct json_writer *writer, const struct gecko_root_options *options)
{
    json_start_array_property(writer, "counters");
    for (size_t i = 0; i < options->counter_count; i++) {
        const struct gecko_root_counter *counter = &options->counters[i];
        json_start_object(writer);
        json_string_property(writer, "name", counter->name);
        json_string_property(writer, "category", counter->category);
        json_string_property(writer, "description", counter->description);
        stream_samples(writer, options, counter);
        json_end_object(writer);
    }
    json_end_array(writer);
}

static void stream_obstacle(struct json_writer *writer, const struct gecko_root_options *options)
{
    char pid[JSON_SCALAR_MAX_BYTES];
    *json_format_u64(pid, (uint64_t)options->pid) = '\0';
    json_start_object_property(writer, "profilingLog");
    json_start_object_property(writer, pid);
    json_start_array_property(writer, "log");
    json_start_object(writer);
    json_time_ms_property(writer, "time",
                          (int64_t)(options->session_start_ns - options->reference_ns));
    json_string_property(writer, "text", options->obstacle);
    json_end_object(writer);
    json_end_array(writer);
    json_end_object(writer);
    json_end_object(writer);
}

void gecko_root_stream_counters(struct json_writer *writer,
                                const struct gecko_root_options *options)
{
    if (options->counter_count > 0)
        stream_counters(writer, options);
    if (options->obstacle != NULL && options->obstacle[0] != '\0')
        stream_obstacle(writer, options);
}
