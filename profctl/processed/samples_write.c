#include "profctl/processed/thread_write.h"
#include "profctl/processed/time_ns.h"

static void put_stacks(const struct profile_thread *thread, const struct thread_frames *frames,
                       struct json_writer *writer)
{
    json_start_array_property(writer, "stack");
    for (size_t i = 0; i < thread->sample_count; i++) {
        uint32_t stack = thread->samples[i].stack;
        if (stack == TABLE_NONE)
            json_null(writer);
        else
            json_u64(writer, thread_frames_stack(frames, stack));
    }
    json_end_array(writer);
}

/* Differences are shorter than times, and pack better. */
static void put_times(const struct profile_thread *thread, struct json_writer *writer)
{
    int64_t last_ns = 0;

    json_start_array_property(writer, "timeDeltas");
    for (size_t i = 0; i < thread->sample_count; i++) {
        int64_t time_ns = time_ns_of_ms(thread->samples[i].time_ms);
        json_time_ms(writer, time_ns - last_ns);
        last_ns = time_ns;
    }
    json_end_array(writer);
}

static void put_event_delays(const struct profile_thread *thread, struct json_writer *writer)
{
    bool are_told = false;

    for (size_t i = 0; i < thread->sample_count && !are_told; i++)
        are_told = thread->samples[i].event_delay_ms > 0;
    if (!are_told)
        return;
    json_start_array_property(writer, "eventDelay");
    for (size_t i = 0; i < thread->sample_count; i++)
        json_double(writer, thread->samples[i].event_delay_ms);
    json_end_array(writer);
}

static void put_cpu_use(const struct profile_thread *thread, struct json_writer *writer)
{
    json_start_array_property(writer, "threadCPUDelta");
    for (size_t i = 0; i < thread->sample_count; i++)
        json_u64(writer, (uint64_t)(thread->samples[i].cpu_ns + 0.5));
    json_end_array(writer);
}

static void put_weights(const struct profile_thread *thread, struct json_writer *writer)
{
    json_start_array_property(writer, "weight");
    for (size_t i = 0; i < thread->sample_count; i++)
        json_time_ms(writer, (int64_t)(thread->samples[i].weight_ns + 0.5));
    json_end_array(writer);
}

void samples_write(const struct profile_thread *thread, const struct thread_frames *frames,
                   struct json_writer *writer)
{
    json_start_object_property(writer, "samples");
    json_u64_property(writer, "length", thread->sample_count);
    put_stacks(thread, frames, writer);
    put_times(thread, writer);
    put_event_delays(thread, writer);
    if (thread->knows_cpu) {
        put_cpu_use(thread, writer);
        put_weights(thread, writer);
    } else {
        json_null_property(writer, "weight");
    }
    json_string_property(writer, "weightType", thread->knows_cpu ? "tracing-ms" : "samples");
    json_end_object(writer);
}
