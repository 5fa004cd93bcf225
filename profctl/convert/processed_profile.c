#include "profctl/convert/processed_profile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/symbols/symbol_cache.h"

enum { NO_THREAD = UINT32_MAX };

struct processed_profile *processed_profile_create(void)
{
    struct processed_profile *profile = calloc(1, sizeof(*profile));

    if (profile == NULL)
        return NULL;
    failure_latch_init(&profile->latch);
    json_writer_init(&profile->json, &profile->latch);
    shared_tables_init(&profile->tables);
    processed_meta_init(&profile->meta);
    lanes_init(&profile->lanes, LANES_APART);
    if (symbol_cache_create(&profile->frames.cache) < 0) {
        processed_profile_end(profile);
        return NULL;
    }
    profile->root.main_thread = profile->inner.main_thread = NO_THREAD;
    return profile;
}

void processed_profile_end(void *state)
{
    struct processed_profile *profile = state;

    json_writer_fini(&profile->json);
    slabs_destroy(profile->slabs);
    shared_tables_fini(&profile->tables);
    processed_meta_free(&profile->meta);
    symbol_cache_free(profile->frames.cache);
    thread_frames_free(&profile->frames);
    thread_rows_free(&profile->rows);
    counter_list_free(&profile->counters);
    counter_list_free(&profile->lane_counters);
    lanes_free(&profile->lanes);
    free(profile);
}

void processed_profile_merge_exited(void *state, size_t apart)
{
    struct processed_profile *profile = state;

    profile->lanes.walk.choice.apart = apart;
}

static bool is_main(const struct profile_thread *thread)
{
    return thread->name != NULL && strcmp(thread->name, MAIN_THREAD_NAME) == 0;
}

/* What makes a thread one of the busiest: its CPU time, or samples where that is not told. */
static double thread_busyness(const struct thread_rows *rows)
{
    const struct profile_sample *samples = rows->samples.items;
    double cpu_ns = 0, stacks = 0;

    for (size_t i = 0; i < rows->samples.count; i++) {
        cpu_ns += samples[i].cpu_ns;
        stacks += samples[i].stack != TABLE_NONE;
    }
    return rows->knows_cpu ? cpu_ns : stacks;
}

/* The value of a thread that stands in a slab of its own. */
static void put_thread_in_slab(struct processed_profile *profile,
                               const struct thread_identity *identity,
                               const struct thread_rows *rows)
{
    uint32_t slab;
    const struct column_output output = { slabs_start_json(profile->slabs, &slab), profile->slabs };

    thread_write(identity, rows, &output);
    slabs_end_json(profile->slabs);
    slab_reference(&profile->json, slab);
}

/* Writes the next thread of the profile. */
static void put_thread(struct processed_profile *profile, const struct thread_identity *identity,
                       const struct thread_rows *rows)
{
    const struct column_output output = { .json = &profile->json };

    if (profile->slabs != NULL)
        put_thread_in_slab(profile, identity, rows);
    else
        thread_write(identity, rows, &output);
    profile->threads++;
}

static void put_own_thread(struct processed_profile *profile, const struct profile_thread *thread)
{
    struct counter_owner *process = thread->is_of_root ? &profile->root : &profile->inner;
    size_t ranges_length;
    const char *ranges = paused_ranges_of(thread, &ranges_length);
    const struct thread_identity identity = {
        .name = thread->name,
        .process_name = thread->process_name,
        .pid = thread->pid,
        .tid = thread->tid,
        .register_ms = thread->register_ms,
        .unregister_ms = thread->unregister_ms,
        .shutdown_ms = profile->lanes.walk.shutdown_ms + thread->shift_ms,
        .paused_ranges = ranges,
        .paused_ranges_length = ranges_length,
    };

    if (process->main_thread == NO_THREAD && is_main(thread))
        *process = (struct counter_owner){ thread->pid, profile->threads };
    if (!profile_thread_is_of_profd(thread))
        busiest_threads_add(&profile->busiest, profile->threads, thread_busyness(&profile->rows));
    put_thread(profile, &identity, &profile->rows);
}

int processed_profile_add_thread(void *state, const struct profile_thread *thread)
{
    struct processed_profile *profile = state;
    const struct payload_source source = { thread, &profile->frames, &profile->meta.types,
                                           &profile->tables };
    int error = thread_frames_take(&profile->frames, thread, &profile->tables);

    if (profile->interval_ns <= 0)
        profile->interval_ns = thread->interval_ns;
    int in_lane = error == 0 ? lanes_take_thread(&profile->lanes, &source) : error;
    if (in_lane != 0)
        return in_lane < 0 ? in_lane : 0;
    thread_rows_clear(&profile->rows);
    error = thread_rows_add(&profile->rows, &source);
    if (error < 0)
        return error;
    put_own_thread(profile, thread);
    return failure_latch_error(&profile->latch);
}

int processed_profile_add_meta(void *state, const char *name, const char *json, size_t length)
{
    struct processed_profile *profile = state;

    lane_walk_take_meta(&profile->lanes.walk, name, json, length);
    return processed_meta_take(&profile->meta, name, json, length);
}

/* The viewer shows counters beside the main thread, and none of a process that has no such. */
int processed_profile_add_counter(void *state, const struct profile_counter *counter)
{
    struct processed_profile *profile = state;
    bool is_inner = profile->inner.main_thread != NO_THREAD;
    const struct counter_owner *owner = is_inner ? &profile->inner : &profile->root;

    const struct lane_slot *slot = lane_walk_slot(&profile->lanes.walk);
    if (slot != NULL) {
        const struct counter_owner first = { slot->pid, profile->lanes.walk.lane };
        return counter_list_add(&profile->lane_counters, counter, &first);
    }
    if (owner->main_thread == NO_THREAD)
        return 0;
    return counter_list_add(&profile->counters, counter, owner);
}

int processed_profile_add_process(void *state, bool is_root, const struct process_log *log)
{
    struct processed_profile *profile = state;
    int error = is_root ? 0 : lanes_end_process(&profile->lanes, log, &profile->tables);

    profile->inner.main_thread = NO_THREAD;
    return error;
}

static void put_lane_thread(struct processed_profile *profile, uint32_t number, uint32_t index)
{
    const struct lane *lane = lanes_at(&profile->lanes, number);
    const struct lane_slot *slot = lane_choice_at(&profile->lanes.walk.choice, number);
    const struct lane_thread *thread = lane_thread_at(lane, index);
    const struct lane_track *track = lane_track_at(slot, index);
    char name[256];
    const struct thread_identity identity = {
        .name = track->name,
        .process_name = name,
        .pid = slot->pid,
        .tid = track->tid,
        .register_ms = thread->register_ms,
        .unregister_ms = thread->unregister_ms,
        .shutdown_ms = slot->until_ms,
        .paused_ranges = lane->paused_ranges.items,
        .paused_ranges_length = lane->paused_ranges.count,
    };

    double weight = thread_busyness(&thread->rows);
    if (index == 0 && thread->rows.knows_cpu)
        weight = fmax(weight, lane->cpu_ns);
    busiest_threads_add(&profile->busiest, profile->threads, weight);
    lane_slot_name(slot, name, sizeof(name));
    put_thread(profile, &identity, &thread->rows);
}

/* The first threads stand together, as counters know them by the numbers of their lanes. */
static void put_lanes(struct processed_profile *profile)
{
    uint32_t count = (uint32_t)profile->lanes.lanes.count;

    for (uint32_t i = 0; i < count; i++)
        put_lane_thread(profile, i, 0);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 1; k < lanes_at(&profile->lanes, i)->threads.count; k++)
            put_lane_thread(profile, i, k);
}

int processed_profile_end_threads(struct processed_profile *profile)
{
    profile->first_lane = profile->threads;
    put_lanes(profile);
    json_end_array(&profile->json);
    profile->meta.is_symbolicated |= profile->frames.named > 0;
    return profile->lanes.lanes.count > 0
               ? processed_types_take(&profile->meta.types, lane_marker_schema,
                                      strlen(lane_marker_schema))
               : 0;
}

int processed_profile_write_counters(struct processed_profile *profile, struct json_writer *writer)
{
    json_start_array(writer);
    int error = counter_list_write(&profile->counters, 0, writer);
    if (error == 0)
        error = counter_list_write(&profile->lane_counters, profile->first_lane, writer);
    json_end_array(writer);
    return error;
}

void processed_profile_write_meta(struct processed_profile *profile,
                                  const struct profile_facts *facts, struct json_writer *writer)
{
    const struct processed_summary summary = { facts, &profile->busiest, profile->interval_ns };

    processed_meta_write(&profile->meta, &summary, writer);
}
