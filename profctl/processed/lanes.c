#include "profctl/processed/lanes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "profctl/json_sinks.h"
#include "profctl/processed/lane_process.h"
#include "profctl/processed/thread_write.h"

#define MARKER_TYPE "ExitedProcess"

const char lane_marker_schema[] =
    "[{\"name\":\"" MARKER_TYPE "\",\"display\":[\"marker-chart\",\"marker-table\","
    "\"timeline-overview\"],\"chartLabel\":\"{marker.data.command}\","
    "\"tableLabel\":\"{marker.data.command}\",\"tooltipLabel\":\"{marker.data.command}\","
    "\"data\":[{\"key\":\"pid\",\"label\":\"Process\",\"format\":\"pid\"},"
    "{\"key\":\"command\",\"label\":\"Command\",\"format\":\"string\"},"
    "{\"key\":\"end\",\"label\":\"End\",\"format\":\"string\"},"
    "{\"key\":\"cpu\",\"label\":\"CPU time\",\"format\":\"duration\"}]}]";

void lanes_init(struct lanes *lanes, size_t apart)
{
    *lanes = (struct lanes){ 0 };
    lane_walk_init(&lanes->walk, apart);
}

static struct lane *all_lanes(const struct lanes *lanes)
{
    return lanes->lanes.items;
}

static struct lane_thread *all_threads(const struct lane *lane)
{
    return lane->threads.items;
}

const struct lane *lanes_at(const struct lanes *lanes, uint32_t lane)
{
    return all_lanes(lanes) + lane;
}

const struct lane_thread *lane_thread_at(const struct lane *lane, uint32_t index)
{
    return all_threads(lane) + index;
}

static void free_lane(struct lane *lane)
{
    for (size_t i = 0; i < lane->threads.count; i++)
        thread_rows_free(&all_threads(lane)[i].rows);
    mapped_array_free(&lane->threads);
    mapped_array_free(&lane->paused_ranges);
}

void lanes_free(struct lanes *lanes)
{
    for (size_t i = 0; i < lanes->lanes.count; i++)
        free_lane(&all_lanes(lanes)[i]);
    mapped_array_free(&lanes->lanes);
    lane_walk_free(&lanes->walk);
}

/* The lane of that number, which may be the next; NULL without memory. */
static struct lane *lane_of(struct lanes *lanes, uint32_t number)
{
    if (number == lanes->lanes.count) {
        struct lane *added = mapped_array_push(&lanes->lanes, sizeof(*added));
        if (added == NULL)
            return NULL;
        *added = (struct lane){ 0 };
    }
    return &all_lanes(lanes)[number];
}

/* --- Threads --- */

/* The thread of LANE on TRACK, which is ADDED's; NULL without memory. */
static struct lane_thread *thread_on_track(struct lane *lane, uint32_t track,
                                           const struct profile_thread *added)
{
    if (track == lane->threads.count) {
        struct lane_thread *thread = mapped_array_push(&lane->threads, sizeof(*thread));
        if (thread == NULL)
            return NULL;
        *thread = (struct lane_thread){ .register_ms = added->register_ms };
    }
    return &all_threads(lane)[track];
}

/* Ranges in which all of the session was paused, of which each process tells its own. */
static int add_paused_ranges(struct lane *lane, size_t process, const struct profile_thread *thread)
{
    struct mapped_array *all = &lane->paused_ranges;
    size_t length;
    const char *ranges = paused_ranges_of(thread, &length);

    if (lane->ranges_process == process || length == 0)
        return 0;
    lane->ranges_process = process;
    int error = all->count > 0 ? json_sink_memory(all, ",", 1) : 0;
    return error < 0 ? error : json_sink_memory(all, ranges, length);
}

static int add_thread(struct lanes *lanes, const struct payload_source *source)
{
    const struct profile_thread *added = source->thread;
    struct lane *lane = lane_of(lanes, lanes->walk.lane);
    uint32_t track;
    int error = lane_choice_add_thread(&lanes->walk.choice, lanes->walk.lane, added, &track);

    if (lane == NULL || error < 0)
        return -ENOMEM;
    struct lane_thread *thread = thread_on_track(lane, track, added);
    if (thread == NULL ||
        add_paused_ranges(lane, lane_walk_slot(&lanes->walk)->processes, added) < 0)
        return -ENOMEM;
    thread->unregister_ms = added->unregister_ms;
    return thread_rows_add(&thread->rows, source);
}

int lanes_take_thread(struct lanes *lanes, const struct payload_source *source)
{
    int in_lane = lane_walk_take_thread(&lanes->walk, source->thread);

    if (in_lane <= 0)
        return in_lane;
    int error = add_thread(lanes, source);
    return error < 0 ? error : 1;
}

/* --- Processes --- */

static int mark_process(struct lanes *lanes, const struct lane_slot *slot,
                        const struct process_log *log, struct shared_tables *tables)
{
    struct lane *lane = &all_lanes(lanes)[lanes->walk.lane];
    const struct marker_row marker = {
        .start_ms = slot->since_ms,
        .end_ms = slot->until_ms,
        .name = shared_tables_string(tables, slot->program, strlen(slot->program)),
        .phase = PHASE_INTERVAL,
    };
    struct mapped_array payload = { 0 };
    struct failure_latch latch;
    struct json_writer writer;

    double cpu_ms = lane_walk_cpu_ms(&lanes->walk, log);
    lane->cpu_ns += fmax(0, cpu_ms) * NS_PER_MS;
    failure_latch_init(&latch);
    json_writer_init_sink(&writer, json_sink_memory, &payload, &latch);
    json_start_object(&writer);
    json_string_property(&writer, "type", MARKER_TYPE);
    lane_process_put(slot, log, cpu_ms, &writer);
    json_end_object(&writer);
    int error = json_writer_flush(&writer);
    if (error == 0)
        error =
            thread_rows_add_marker(&all_threads(lane)->rows, &marker, payload.items, payload.count);
    json_writer_fini(&writer);
    mapped_array_free(&payload);
    return error < 0 ? error : shared_tables_error(tables);
}

int lanes_end_process(struct lanes *lanes, const struct process_log *log,
                      struct shared_tables *tables)
{
    const struct lane_slot *slot = lane_walk_slot(&lanes->walk);
    int error = slot != NULL ? mark_process(lanes, slot, log, tables) : 0;
    int end_err = lane_walk_end_process(&lanes->walk, log);

    return error < 0 ? error : end_err;
}
