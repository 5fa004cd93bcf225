/* The Firefox Profiler's own format, into which it turns all others: threads are written as they
 * come, and what they share behind them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/convert/profile_format.h"
#include "profctl/processed/counters_write.h"
#include "profctl/processed/process_id.h"
#include "profctl/processed/processed_meta.h"
#include "profctl/processed/shared_tables.h"
#include "profctl/processed/thread_write.h"
#include "profctl/processed/time_ns.h"
#include "profctl/symbols/symbol_cache.h"

enum { NO_THREAD = UINT32_MAX };

struct processed {
    struct failure_latch latch;
    struct json_writer json;
    struct shared_tables tables;
    struct processed_meta meta;
    struct thread_frames frames;
    struct marker_lists markers;
    struct counter_list counters;
    struct busiest_threads busiest;
    struct counter_owner root, inner; /* the main threads of the processes at hand */
    uint32_t threads;
    double interval_ns; /* of the first thread that tells one */
};

static void end(void *state)
{
    struct processed *processed = state;

    json_writer_fini(&processed->json);
    shared_tables_fini(&processed->tables);
    processed_meta_free(&processed->meta);
    symbol_cache_free(processed->frames.cache);
    thread_frames_free(&processed->frames);
    marker_lists_free(&processed->markers);
    counter_list_free(&processed->counters);
    free(processed);
}

static int begin(json_sink_write write, void *context, void **out)
{
    struct processed *processed = calloc(1, sizeof(*processed));

    if (processed == NULL)
        return -ENOMEM;
    failure_latch_init(&processed->latch);
    json_writer_init_sink(&processed->json, write, context, &processed->latch);
    shared_tables_init(&processed->tables);
    processed_meta_init(&processed->meta);
    if (symbol_cache_create(&processed->frames.cache) < 0) {
        end(processed);
        return -ENOMEM;
    }
    processed->root.main_thread = processed->inner.main_thread = NO_THREAD;
    json_start_object(&processed->json);
    json_start_array_property(&processed->json, "threads");
    *out = processed;
    return 0;
}

/* --- Threads --- */

static bool is_main(const struct profile_thread *thread)
{
    return thread->name != NULL && strcmp(thread->name, "GeckoMain") == 0;
}

static void put_time(struct json_writer *writer, const char *name, double ms)
{
    if (isnan(ms))
        json_null_property(writer, name);
    else
        json_time_ms_property(writer, name, time_ns_of_ms(ms));
}

static void put_identity(struct processed *processed, const struct profile_thread *thread)
{
    struct json_writer *json = &processed->json;

    json_string_property(json, "name", thread->name != NULL ? thread->name : "unnamed thread");
    json_string_property(json, "processName",
                         thread->process_name != NULL ? thread->process_name : "");
    json_bool_property(json, "isMainThread", is_main(thread));
    json_string_property(json, "processType", "default");
    process_id_write(json, thread->pid);
    json_u64_property(json, "tid",
                      thread->tid >= 0 && thread->tid < 9e15 ? (uint64_t)thread->tid : 0);
    json_u64_property(json, "processStartupTime", 0);
    put_time(json, "processShutdownTime", processed->meta.shutdown_ms + thread->shift_ms);
    put_time(json, "registerTime", isnan(thread->register_ms) ? 0 : thread->register_ms);
    put_time(json, "unregisterTime", thread->unregister_ms);
    json_name(json, "pausedRanges");
    if (thread->paused_ranges != NULL)
        json_splice_bytes(json, thread->paused_ranges, thread->paused_ranges_length);
    else
        json_splice_bytes(json, "[]", 2);
}

static void note_thread(struct processed *processed, const struct profile_thread *thread)
{
    struct counter_owner *process = thread->is_of_root ? &processed->root : &processed->inner;
    double cpu_ns = 0, samples = 0;

    for (size_t i = 0; i < thread->sample_count; i++) {
        cpu_ns += thread->samples[i].cpu_ns;
        samples += thread->samples[i].stack != TABLE_NONE;
    }
    if (!profile_thread_is_of_profd(thread))
        busiest_threads_add(&processed->busiest, processed->threads,
                            thread->knows_cpu ? cpu_ns : samples);
    if (process->main_thread == NO_THREAD && is_main(thread))
        *process = (struct counter_owner){ thread->pid, processed->threads };
    if (processed->interval_ns <= 0)
        processed->interval_ns = thread->interval_ns;
    processed->threads++;
}

static int add_thread(void *state, const struct profile_thread *thread)
{
    struct processed *processed = state;
    const struct payload_source source = { thread, &processed->frames, &processed->meta.types,
                                           &processed->tables };
    int err = thread_frames_take(&processed->frames, thread, &processed->tables);

    if (err < 0)
        return err;
    json_start_object(&processed->json);
    put_identity(processed, thread);
    samples_write(thread, &processed->frames, &processed->json);
    err = markers_write(&source, &processed->markers, &processed->json);
    json_end_object(&processed->json);
    note_thread(processed, thread);
    return err < 0 ? err : failure_latch_error(&processed->latch);
}

/* --- What comes between them --- */

static int add_meta(void *state, const char *name, const char *json, size_t length)
{
    struct processed *processed = state;

    return processed_meta_take(&processed->meta, name, json, length);
}

/* The viewer shows counters beside the main thread, and none of a process that has no such. */
static int add_counter(void *state, const struct profile_counter *counter)
{
    struct processed *processed = state;
    bool is_inner = processed->inner.main_thread != NO_THREAD;
    const struct counter_owner *owner = is_inner ? &processed->inner : &processed->root;

    if (owner->main_thread == NO_THREAD)
        return 0;
    return counter_list_add(&processed->counters, counter, owner);
}

static int add_process(void *state, bool is_root, const struct process_log *log)
{
    struct processed *processed = state;

    (void)is_root;
    (void)log;
    processed->inner.main_thread = NO_THREAD;
    processed_meta_forget_process(&processed->meta);
    return 0;
}

/* --- The end --- */

static int finish(void *state, const struct profile_facts *facts)
{
    struct processed *processed = state;
    const struct processed_summary summary = { facts, &processed->busiest, processed->interval_ns };

    json_end_array(&processed->json);
    processed->meta.is_symbolicated |= processed->frames.named > 0;
    int err = counter_list_write(&processed->counters, &processed->json);
    if (err < 0)
        return err;
    shared_tables_write(&processed->tables, &processed->json);
    processed_meta_write(&processed->meta, &summary, &processed->json);
    json_end_object(&processed->json);
    return json_writer_flush(&processed->json);
}

const struct profile_format format_processed = {
    .name = "processed",
    .ending = ".processed.json",
    .summary = "the Firefox Profiler's own format",
    .begin = begin,
    .add_thread = add_thread,
    .finish = finish,
    .end = end,
    .add_counter = add_counter,
    .add_process = add_process,
    .add_meta = add_meta,
    .wants_markers = true,
    .wants_profd = true,
};
