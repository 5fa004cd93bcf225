#include "profctl/processed/thread_write.h"

#include <math.h>
#include <string.h>

#include "profctl/processed/process_id.h"
#include "profctl/processed/time_ns.h"

const char *paused_ranges_of(const struct profile_thread *thread, size_t *length)
{
    const char *array = thread->paused_ranges;
    size_t bytes = thread->paused_ranges_length;
    bool has_any = bytes > 2 && array[0] == '[' && memchr(array, '{', bytes) != NULL;

    *length = has_any ? bytes - 2 : 0;
    return has_any ? array + 1 : NULL;
}

static void put_time(struct json_writer *writer, const char *name, double ms)
{
    if (isnan(ms))
        json_null_property(writer, name);
    else
        json_time_ms_property(writer, name, time_ns_of_ms(ms));
}

static void put_identity(const struct thread_identity *identity, struct json_writer *writer)
{
    const char *name = identity->name != NULL ? identity->name : "unnamed thread";
    bool has_tid = identity->tid >= 0 && identity->tid < 9e15;

    json_string_property(writer, "name", name);
    json_string_property(writer, "processName",
                         identity->process_name != NULL ? identity->process_name : "");
    json_bool_property(writer, "isMainThread", strcmp(name, MAIN_THREAD_NAME) == 0);
    json_string_property(writer, "processType", "default");
    process_id_write(writer, identity->pid);
    json_u64_property(writer, "tid", has_tid ? (uint64_t)identity->tid : 0);
    json_u64_property(writer, "processStartupTime", 0);
    put_time(writer, "processShutdownTime", identity->shutdown_ms);
    put_time(writer, "registerTime", isnan(identity->register_ms) ? 0 : identity->register_ms);
    put_time(writer, "unregisterTime", identity->unregister_ms);
    json_start_array_property(writer, "pausedRanges");
    if (identity->paused_ranges_length > 0)
        json_splice_bytes(writer, identity->paused_ranges, identity->paused_ranges_length);
    json_end_array(writer);
}

void thread_write(const struct thread_identity *identity, const struct thread_rows *rows,
                  const struct column_output *output)
{
    struct json_writer *writer = output->json;

    json_start_object(writer);
    put_identity(identity, writer);
    samples_write(rows, output);
    markers_write(rows, writer);
    json_end_object(writer);
}
