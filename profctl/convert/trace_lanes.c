#include "profctl/convert/trace_lanes.h"

#include <errno.h>

#include "profctl/convert/thread_stacks.h"
#include "profctl/processed/lane_process.h"

void trace_lanes_init(struct trace_lanes *lanes, size_t apart)
{
    *lanes = (struct trace_lanes){ 0 };
    lane_walk_init(&lanes->walk, apart);
}

void trace_lanes_free(struct trace_lanes *lanes)
{
    struct mapped_array *lane = lanes->lanes.items;

    for (size_t i = 0; i < lanes->lanes.count; i++) {
        struct mapped_array *tracks = lane[i].items;
        for (size_t k = 0; k < lane[i].count; k++)
            mapped_array_free(&tracks[k]);
        mapped_array_free(&lane[i]);
    }
    mapped_array_free(&lanes->lanes);
    lane_walk_free(&lanes->walk);
}

/* The array at INDEX of ARRAYS, which may be the next; NULL without memory. */
static struct mapped_array *array_at(struct mapped_array *arrays, uint32_t index)
{
    if (index == arrays->count) {
        struct mapped_array *added = mapped_array_push(arrays, sizeof(*added));
        if (added == NULL)
            return NULL;
        *added = (struct mapped_array){ 0 };
    }
    return (struct mapped_array *)arrays->items + index;
}

int trace_lanes_take_thread(struct trace_lanes *lanes, const struct profile_thread *thread,
                            struct trace_place *place, struct mapped_array **tracks)
{
    int in_lane = lane_walk_take_thread(&lanes->walk, thread);
    uint32_t track;

    if (in_lane <= 0)
        return in_lane;
    struct mapped_array *lane = array_at(&lanes->lanes, lanes->walk.lane);
    int error = lane_choice_add_thread(&lanes->walk.choice, lanes->walk.lane, thread, &track);
    *tracks = lane != NULL && error == 0 ? array_at(lane, track) : NULL;
    if (*tracks == NULL)
        return -ENOMEM;
    const struct lane_slot *slot = lane_walk_slot(&lanes->walk);
    *place = (struct trace_place){ slot->pid, lane_track_at(slot, track)->tid };
    return 1;
}

static void put_process(const struct lane_slot *slot, const struct process_log *log, double cpu_ms,
                        struct json_writer *json)
{
    const struct trace_place place = { slot->pid, lane_track_at(slot, 0)->tid };

    trace_event_begin(json, "X", &place);
    json_string_property(json, "cat", "process");
    json_string_property(json, "name", slot->program);
    json_double_property(json, "ts", slot->since_ms * US_PER_MS);
    json_double_property(json, "dur", (slot->until_ms - slot->since_ms) * US_PER_MS);
    json_start_object_property(json, "args");
    lane_process_put(slot, log, cpu_ms, json);
    json_end_object(json);
    json_end_object(json);
}

int trace_lanes_end_process(struct trace_lanes *lanes, const struct process_log *log,
                            struct json_writer *json)
{
    const struct lane_slot *slot = lane_walk_slot(&lanes->walk);

    if (slot != NULL)
        put_process(slot, log, lane_walk_cpu_ms(&lanes->walk, log), json);
    return lane_walk_end_process(&lanes->walk, log);
}

static void put_lane_names(const struct lane_slot *slot, struct json_writer *json)
{
    char name[THREAD_LABEL_BYTES];

    lane_slot_name(slot, name, sizeof(name));
    for (uint32_t i = 0; i < slot->tracks.count; i++) {
        const struct lane_track *track = lane_track_at(slot, i);
        const struct trace_place place = { slot->pid, track->tid };
        if (i == 0)
            trace_event_name(json, &place, "process_name", name);
        trace_event_name(json, &place, "thread_name", thread_label_named(track->name));
    }
}

void trace_lanes_put_names(const struct trace_lanes *lanes, struct json_writer *json)
{
    for (uint32_t i = 0; i < lanes->walk.choice.slots.count; i++)
        put_lane_names(lane_choice_at(&lanes->walk.choice, i), json);
}
