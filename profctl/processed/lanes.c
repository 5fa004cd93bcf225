#include "profctl/processed/lanes.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "profctl/json_sinks.h"
#include "profctl/processed/thread_write.h"
#include "profctl/units.h"

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
    *lanes = (struct lanes){ .apart = apart };
}

static struct lane *all_lanes(const struct lanes *lanes)
{
    return lanes->lanes.items;
}

static struct lane_thread *all_threads(const struct lane *lane)
{
    return lane->threads.items;
}

const struct lane *lanes_at(const struct lanes *lanes, size_t lane)
{
    return all_lanes(lanes) + lane;
}

const struct lane_thread *lane_thread_at(const struct lane *lane, size_t index)
{
    return all_threads(lane) + index;
}

static void free_lane(struct lane *lane)
{
    for (size_t i = 0; i < lane->threads.count; i++) {
        free(all_threads(lane)[i].name);
        thread_rows_free(&all_threads(lane)[i].rows);
    }
    mapped_array_free(&lane->threads);
    mapped_array_free(&lane->paused_ranges);
    free(lane->program);
}

void lanes_free(struct lanes *lanes)
{
    for (size_t i = 0; i < lanes->lanes.count; i++)
        free_lane(&all_lanes(lanes)[i]);
    mapped_array_free(&lanes->lanes);
}

/* --- Which lane --- */

/* The one that was left last, so that few lanes suffice; NULL: none is free at START_MS. */
static struct lane *free_lane_of(const struct lanes *lanes, const char *program, double start_ms)
{
    struct lane *best = NULL;

    for (size_t i = 0; i < lanes->lanes.count; i++) {
        struct lane *lane = &all_lanes(lanes)[i];
        if (lane->until_ms <= start_ms && (best == NULL || lane->until_ms > best->until_ms) &&
            strcmp(lane->program, program) == 0)
            best = lane;
    }
    return best;
}

static struct lane *new_lane(struct lanes *lanes, const char *program,
                             const struct profile_thread *thread)
{
    char *owned = strdup(program);
    struct lane *lane = owned != NULL ? mapped_array_push(&lanes->lanes, sizeof(*lane)) : NULL;

    if (lane == NULL) {
        free(owned);
        return NULL;
    }
    *lane = (struct lane){ .program = owned, .pid = thread->pid };
    return lane;
}

int lanes_enter(struct lanes *lanes, const struct profile_thread *thread, double end_ms,
                uint32_t *number)
{
    const char *program = thread->process_name != NULL ? thread->process_name : "";

    if (!(end_ms >= thread->register_ms))
        return 0;
    if (lanes->apart > 0) {
        lanes->apart--;
        return 0;
    }
    struct lane *lane = free_lane_of(lanes, program, thread->register_ms);
    if (lane == NULL)
        lane = new_lane(lanes, program, thread);
    if (lane == NULL)
        return -ENOMEM;
    lane->processes++;
    lane->has_ranges = false;
    lane->last_pid = thread->pid;
    lane->since_ms = thread->register_ms;
    lane->until_ms = end_ms;
    *number = (uint32_t)(lane - all_lanes(lanes));
    return 1;
}

/* --- Threads --- */

static bool is_named(const struct lane_thread *thread, const char *name)
{
    return thread->name == NULL || name == NULL ? thread->name == name
                                                : strcmp(thread->name, name) == 0;
}

/* The lane's thread that this process has none for yet. */
static struct lane_thread *next_thread(const struct lane *lane, const char *name)
{
    for (size_t i = 0; i < lane->threads.count; i++) {
        struct lane_thread *thread = &all_threads(lane)[i];
        if (thread->process != lane->processes && is_named(thread, name))
            return thread;
    }
    return NULL;
}

static struct lane_thread *new_thread(struct lane *lane, const struct profile_thread *source)
{
    char *name = source->name != NULL ? strdup(source->name) : NULL;
    struct lane_thread *thread = NULL;

    if (name != NULL || source->name == NULL)
        thread = mapped_array_push(&lane->threads, sizeof(*thread));
    if (thread == NULL) {
        free(name);
        return NULL;
    }
    *thread = (struct lane_thread){ .name = name,
                                    .tid = source->tid,
                                    .register_ms = source->register_ms };
    return thread;
}

/* Ranges in which all of the session was paused, of which each process tells its own. */
static int add_paused_ranges(struct lane *lane, const struct profile_thread *thread)
{
    struct mapped_array *all = &lane->paused_ranges;
    size_t length;
    const char *ranges = paused_ranges_of(thread, &length);

    if (lane->has_ranges || length == 0)
        return 0;
    lane->has_ranges = true;
    int err = all->count > 0 ? json_sink_memory(all, ",", 1) : 0;
    return err < 0 ? err : json_sink_memory(all, ranges, length);
}

/* Samples may be told later than the end of their process. */
static double last_time_ms(const struct profile_thread *thread)
{
    size_t count = thread->sample_count;

    return count > 0 ? thread->samples[count - 1].time_ms : -INFINITY;
}

int lanes_add_thread(struct lanes *lanes, uint32_t number, const struct payload_source *source)
{
    struct lane *lane = &all_lanes(lanes)[number];
    const struct profile_thread *added = source->thread;
    struct lane_thread *thread = next_thread(lane, added->name);

    if (thread == NULL)
        thread = new_thread(lane, added);
    int err = thread == NULL ? -ENOMEM : add_paused_ranges(lane, added);
    if (err < 0)
        return err;
    thread->process = lane->processes;
    thread->unregister_ms = added->unregister_ms;
    lane->until_ms = fmax(lane->until_ms, last_time_ms(added));
    return thread_rows_add(&thread->rows, source);
}

/* --- Processes --- */

static void put_end(const struct process_log *log, struct json_writer *writer)
{
    const char *end = log->outcome != NULL ? log->outcome : log->verdict;
    bool is_signal = end != NULL && (strcmp(end, "killed") == 0 || strcmp(end, "crashed") == 0);
    char text[128];

    if (end == NULL)
        return;
    if (log->code > 0)
        snprintf(text, sizeof(text), is_signal ? "%.64s by signal %.0f" : "%.64s with %.0f", end,
                 log->code);
    else
        snprintf(text, sizeof(text), "%.64s", end);
    json_string_property(writer, "end", text);
}

static void put_process(const struct process_log *log, const struct lane *lane,
                        struct json_writer *writer)
{
    const char *command = process_log_command_line(log);
    char id[32];

    snprintf(id, sizeof(id), "%.0f", lane->last_pid);
    json_start_object(writer);
    json_string_property(writer, "type", MARKER_TYPE);
    json_string_property(writer, "pid", id);
    json_string_property(writer, "command", command != NULL ? command : lane->program);
    put_end(log, writer);
    if (log->cpu_ms >= 0)
        json_double_property(writer, "cpu", log->cpu_ms);
    json_end_object(writer);
}

int lanes_mark_process(struct lanes *lanes, uint32_t number, const struct process_log *log,
                       struct shared_tables *tables)
{
    struct lane *lane = &all_lanes(lanes)[number];
    const struct marker_row marker = {
        .start_ms = lane->since_ms,
        .end_ms = lane->until_ms,
        .name = shared_tables_string(tables, lane->program, strlen(lane->program)),
        .phase = PHASE_INTERVAL,
    };
    struct mapped_array payload = { 0 };
    struct failure_latch latch;
    struct json_writer writer;

    lane->cpu_ns += fmax(0, log->cpu_ms) * NS_PER_MS;
    failure_latch_init(&latch);
    json_writer_init_sink(&writer, json_sink_memory, &payload, &latch);
    put_process(log, lane, &writer);
    int err = json_writer_flush(&writer);
    if (err == 0)
        err =
            thread_rows_add_marker(&all_threads(lane)->rows, &marker, payload.items, payload.count);
    json_writer_fini(&writer);
    mapped_array_free(&payload);
    return err < 0 ? err : shared_tables_error(tables);
}

void lane_name(const struct lane *lane, char *buffer, size_t bytes)
{
    char count[UNITS_TEXT_BYTES];

    if (lane->processes == 1)
        snprintf(buffer, bytes, "%s", lane->program);
    else
        snprintf(buffer, bytes, "%.200s (%s processes)", lane->program,
                 units_format_count(lane->processes, count));
}
