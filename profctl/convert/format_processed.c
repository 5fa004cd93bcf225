/* The Firefox Profiler's own format, into which it turns all others: threads are written as they
 * come, and what they share behind them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/convert/profile_format.h"
#include "profctl/processed/counters_write.h"
#include "profctl/processed/lanes.h"
#include "profctl/processed/processed_meta.h"
#include "profctl/processed/shared_tables.h"
#include "profctl/processed/thread_write.h"
#include "profctl/symbols/symbol_cache.h"

enum {
    NO_THREAD = UINT32_MAX,
    APART = 200, /* processes that exited are seen apart when nobody says how many */
};

/* Where the process at hand goes. */
enum process_place { PLACE_UNKNOWN, PLACE_APART, PLACE_LANE };

struct processed {
    struct failure_latch latch;
    struct json_writer json;
    struct shared_tables tables;
    struct processed_meta meta;
    struct thread_frames frames;
    struct thread_rows rows; /* of the thread at hand */
    struct counter_list counters, lane_counters;
    struct busiest_threads busiest;
    struct counter_owner root, inner; /* the main threads of the processes at hand */
    uint32_t threads;
    struct lanes lanes;
    enum process_place place; /* of the inner process at hand, … */
    uint32_t lane;            /* … and its lane */
    double interval_ns;       /* of the first thread that tells one */
};

static void end(void *state)
{
    struct processed *processed = state;

    json_writer_fini(&processed->json);
    shared_tables_fini(&processed->tables);
    processed_meta_free(&processed->meta);
    symbol_cache_free(processed->frames.cache);
    thread_frames_free(&processed->frames);
    thread_rows_free(&processed->rows);
    counter_list_free(&processed->counters);
    counter_list_free(&processed->lane_counters);
    lanes_free(&processed->lanes);
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
    lanes_init(&processed->lanes, APART);
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
    return thread->name != NULL && strcmp(thread->name, MAIN_THREAD_NAME) == 0;
}

/* What makes a thread one of the busiest: its CPU time, or samples where that is not told. */
static double busyness(const struct thread_rows *rows)
{
    const struct profile_sample *samples = rows->samples.items;
    double cpu_ns = 0, stacks = 0;

    for (size_t i = 0; i < rows->samples.count; i++) {
        cpu_ns += samples[i].cpu_ns;
        stacks += samples[i].stack != TABLE_NONE;
    }
    return rows->knows_cpu ? cpu_ns : stacks;
}

/* Writes the next thread of the profile. */
static void put_thread(struct processed *processed, const struct thread_identity *identity,
                       const struct thread_rows *rows)
{
    thread_write(identity, rows, &processed->json);
    processed->threads++;
}

static void put_own_thread(struct processed *processed, const struct profile_thread *thread)
{
    struct counter_owner *process = thread->is_of_root ? &processed->root : &processed->inner;
    size_t ranges_length;
    const char *ranges = paused_ranges_of(thread, &ranges_length);
    const struct thread_identity identity = {
        .name = thread->name,
        .process_name = thread->process_name,
        .pid = thread->pid,
        .tid = thread->tid,
        .register_ms = thread->register_ms,
        .unregister_ms = thread->unregister_ms,
        .shutdown_ms = processed->meta.shutdown_ms + thread->shift_ms,
        .paused_ranges = ranges,
        .paused_ranges_length = ranges_length,
    };

    if (process->main_thread == NO_THREAD && is_main(thread))
        *process = (struct counter_owner){ thread->pid, processed->threads };
    if (!profile_thread_is_of_profd(thread))
        busiest_threads_add(&processed->busiest, processed->threads, busyness(&processed->rows));
    put_thread(processed, &identity, &processed->rows);
}

/* Where the process of THREAD, its first, goes. 0 or -ENOMEM. */
static int choose_place(struct processed *processed, const struct profile_thread *thread)
{
    double end_ms = processed->meta.shutdown_ms + thread->shift_ms;
    int in_lane = lanes_enter(&processed->lanes, thread, end_ms, &processed->lane);

    processed->place = in_lane > 0 ? PLACE_LANE : PLACE_APART;
    return in_lane < 0 ? in_lane : 0;
}

static int add_thread(void *state, const struct profile_thread *thread)
{
    struct processed *processed = state;
    const struct payload_source source = { thread, &processed->frames, &processed->meta.types,
                                           &processed->tables };
    int err = thread_frames_take(&processed->frames, thread, &processed->tables);

    if (err == 0 && !thread->is_of_root && processed->place == PLACE_UNKNOWN)
        err = choose_place(processed, thread);
    if (err < 0)
        return err;
    if (processed->interval_ns <= 0)
        processed->interval_ns = thread->interval_ns;
    if (!thread->is_of_root && processed->place == PLACE_LANE)
        return lanes_add_thread(&processed->lanes, processed->lane, &source);
    thread_rows_clear(&processed->rows);
    err = thread_rows_add(&processed->rows, &source);
    if (err < 0)
        return err;
    put_own_thread(processed, thread);
    return failure_latch_error(&processed->latch);
}

/* --- Lanes --- */

static void merge_exited(void *state, size_t apart)
{
    struct processed *processed = state;

    processed->lanes.apart = apart;
}

static void put_lane_thread(struct processed *processed, const struct lane *lane, size_t index)
{
    const struct lane_thread *thread = lane_thread_at(lane, index);
    char name[256];
    const struct thread_identity identity = {
        .name = thread->name,
        .process_name = name,
        .pid = lane->pid,
        .tid = thread->tid,
        .register_ms = thread->register_ms,
        .unregister_ms = thread->unregister_ms,
        .shutdown_ms = lane->until_ms,
        .paused_ranges = lane->paused_ranges.items,
        .paused_ranges_length = lane->paused_ranges.count,
    };

    double weight = busyness(&thread->rows);
    if (index == 0 && thread->rows.knows_cpu)
        weight = fmax(weight, lane->cpu_ns);
    busiest_threads_add(&processed->busiest, processed->threads, weight);
    lane_name(lane, name, sizeof(name));
    put_thread(processed, &identity, &thread->rows);
}

/* The first threads stand together, as counters know them by the numbers of their lanes. */
static void put_lanes(struct processed *processed)
{
    size_t count = processed->lanes.lanes.count;

    for (size_t i = 0; i < count; i++)
        put_lane_thread(processed, lanes_at(&processed->lanes, i), 0);
    for (size_t i = 0; i < count; i++) {
        const struct lane *lane = lanes_at(&processed->lanes, i);
        for (size_t k = 1; k < lane->threads.count; k++)
            put_lane_thread(processed, lane, k);
    }
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

    if (processed->place == PLACE_LANE) {
        const struct lane *lane = lanes_at(&processed->lanes, processed->lane);
        const struct counter_owner first = { lane->pid, processed->lane };
        return counter_list_add(&processed->lane_counters, counter, &first);
    }
    if (owner->main_thread == NO_THREAD)
        return 0;
    return counter_list_add(&processed->counters, counter, owner);
}

static int add_process(void *state, bool is_root, const struct process_log *log)
{
    struct processed *processed = state;
    int err = processed->place == PLACE_LANE && !is_root
                  ? lanes_mark_process(&processed->lanes, processed->lane, log, &processed->tables)
                  : 0;

    processed->place = PLACE_UNKNOWN;
    processed->inner.main_thread = NO_THREAD;
    processed_meta_forget_process(&processed->meta);
    return err;
}

/* --- The end --- */

static int put_counters(struct processed *processed, uint32_t first_lane)
{
    json_start_array_property(&processed->json, "counters");
    int err = counter_list_write(&processed->counters, 0, &processed->json);
    if (err == 0)
        err = counter_list_write(&processed->lane_counters, first_lane, &processed->json);
    json_end_array(&processed->json);
    return err;
}

static int finish(void *state, const struct profile_facts *facts)
{
    struct processed *processed = state;
    const struct processed_summary summary = { facts, &processed->busiest, processed->interval_ns };
    uint32_t first_lane = processed->threads;
    int err = 0;

    put_lanes(processed);
    json_end_array(&processed->json);
    processed->meta.is_symbolicated |= processed->frames.named > 0;
    if (processed->lanes.lanes.count > 0)
        err = processed_types_take(&processed->meta.types, lane_marker_schema,
                                   strlen(lane_marker_schema));
    if (err == 0)
        err = put_counters(processed, first_lane);
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
    .merge_exited = merge_exited,
    .wants_markers = true,
    .wants_profd = true,
};
