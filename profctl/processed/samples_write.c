#include "profctl/processed/thread_write.h"
#include "profctl/processed/time_ns.h"

static void put_stacks(const struct thread_rows *rows, struct json_writer *writer)
{
    const struct profile_sample *samples = rows->samples.items;

    json_start_array_property(writer, "stack");
    for (size_t i = 0; i < rows->samples.count; i++) {
        if (samples[i].stack == TABLE_NONE)
            json_null(writer);
        else
            json_u64(writer, samples[i].stack);
    }
    json_end_array(writer);
}

/* Differences are shorter than times, and pack better. */
static void put_times(const struct thread_rows *rows, const struct column_output *output)
{
    const struct profile_sample *samples = rows->samples.items;
    int64_t last_ns = 0;

    column_start(output, "timeDeltas", SLAB_FLOAT64);
    for (size_t i = 0; i < rows->samples.count; i++) {
        int64_t time_ns = time_ns_of_ms(samples[i].time_ms);
        column_put_time_ms(output, time_ns - last_ns);
        last_ns = time_ns;
    }
    column_end(output);
}

static void put_event_delays(const struct thread_rows *rows, struct json_writer *writer)
{
    const struct profile_sample *samples = rows->samples.items;
    bool are_told = false;

    for (size_t i = 0; i < rows->samples.count && !are_told; i++)
        are_told = samples[i].event_delay_ms > 0;
    if (!are_told)
        return;
    json_start_array_property(writer, "eventDelay");
    for (size_t i = 0; i < rows->samples.count; i++)
        json_double(writer, samples[i].event_delay_ms);
    json_end_array(writer);
}

static void put_cpu_use(const struct thread_rows *rows, struct json_writer *writer)
{
    const struct profile_sample *samples = rows->samples.items;

    json_start_array_property(writer, "threadCPUDelta");
    for (size_t i = 0; i < rows->samples.count; i++)
        json_u64(writer, (uint64_t)(samples[i].cpu_ns + 0.5));
    json_end_array(writer);
}

static void put_weights(const struct thread_rows *rows, struct json_writer *writer)
{
    const struct profile_sample *samples = rows->samples.items;

    json_start_array_property(writer, "weight");
    for (size_t i = 0; i < rows->samples.count; i++)
        json_time_ms(writer, (int64_t)(samples[i].weight_ns + 0.5));
    json_end_array(writer);
}

void samples_write(const struct thread_rows *rows, const struct column_output *output)
{
    struct json_writer *writer = output->json;

    json_start_object_property(writer, "samples");
    json_u64_property(writer, "length", rows->samples.count);
    put_stacks(rows, writer);
    put_times(rows, output);
    put_event_delays(rows, writer);
    if (rows->knows_cpu) {
        put_cpu_use(rows, writer);
        put_weights(rows, writer);
    } else {
        json_null_property(writer, "weight");
    }
    json_string_property(writer, "weightType", rows->knows_cpu ? "tracing-ms" : "samples");
    json_end_object(writer);
}
