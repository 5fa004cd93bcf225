#include "profctl/convert/pprof_costs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "profctl/convert/call_samples.h"
#include "profctl/convert/thread_stacks.h"
#include "profctl/json_steps.h"
#include "profctl/tables/allocation_payload.h"
#include "profctl/tables/json_text.h"

/* What libprofd calls the marker of a unit that kept its thread for long. */
static const char unit_marker[] = "Jank";

struct group_span {
    double start_ms, end_ms;
    uint32_t group; /* and 1 */
};

void pprof_costs_init(struct pprof_costs *costs, struct failure_latch *latch)
{
    *costs = (struct pprof_costs){ 0 };
    unique_strings_init(&costs->groups, latch);
    unique_strings_init(&costs->keys, latch);
}

void pprof_costs_fini(struct pprof_costs *costs)
{
    unique_strings_fini(&costs->groups);
    unique_strings_fini(&costs->keys);
    mapped_array_free(&costs->costs);
    mapped_array_free(&costs->spans);
    mapped_array_free(&costs->open);
}

static void clear_costs(struct pprof_costs *costs)
{
    struct failure_latch *latch = costs->keys.latch;

    unique_strings_fini(&costs->keys);
    unique_strings_init(&costs->keys, latch);
    costs->costs.count = costs->spans.count = costs->open.count = 0;
    costs->next_span = 0;
}

static int add_values(struct pprof_costs *costs, uint32_t stack, uint32_t group,
                      const int64_t values[PPROF_VALUES])
{
    const uint32_t key[] = { stack, group };
    uint32_t index = unique_strings_add(&costs->keys, (const char *)key, sizeof(key));

    if (index == UNIQUE_NONE)
        return -ENOMEM;
    if (index == costs->costs.count) {
        struct pprof_cost *added = mapped_array_push(&costs->costs, sizeof(*added));
        if (added == NULL)
            return -ENOMEM;
        *added = (struct pprof_cost){ .stack = stack, .group = group };
    }
    struct pprof_cost *cost = (struct pprof_cost *)costs->costs.items + index;
    for (int i = 0; i < PPROF_VALUES; i++)
        cost->values[i] += values[i];
    return 0;
}

/* --- Groups --- */

/* The group that PAYLOAD tells, and 1; 0: none. */
static int read_group(struct pprof_costs *costs, const char *payload, size_t length,
                      uint32_t *group)
{
    struct json_reader *reader;
    char *text = NULL;
    int error = json_reader_open_memory(payload, length, &reader);

    *group = 0;
    if (error < 0)
        return error;
    error = json_expect(reader, JSON_TOKEN_START_OBJECT);
    while (json_next_member(reader, &error))
        error = json_reader_is(reader, "group") ? json_text_keep_if_string(reader, &text)
                                                : json_reader_skip(reader);
    if (error == 0 && text != NULL)
        *group = unique_strings_add(&costs->groups, text, strlen(text)) + 1;
    free(text);
    json_reader_close(reader);
    return error;
}

static int take_unit(struct pprof_costs *costs, const struct profile_thread *thread,
                     const struct table_marker *marker, const char *payload)
{
    struct group_span span = { .start_ms = marker->start_ms, .end_ms = marker->end_ms };
    size_t length;
    const char *name = thread_tables_string(thread->tables, marker->name, &length);

    if (marker->phase != PHASE_INTERVAL || length != strlen(unit_marker) ||
        memcmp(name, unit_marker, length) != 0)
        return 0;
    int error = read_group(costs, payload, marker->data_length, &span.group);
    if (error < 0 || span.group == 0)
        return error;
    struct group_span *added = mapped_array_push(&costs->spans, sizeof(*added));
    if (added == NULL)
        return -ENOMEM;
    *added = span;
    return 0;
}

static bool starts_before(const void *left, const void *right)
{
    const struct group_span *a = left, *b = right;

    return a->start_ms != b->start_ms ? a->start_ms < b->start_ms : a->end_ms > b->end_ms;
}

/* The group of the innermost unit at TIME_MS, which never decreases; units nest. */
static int find_group(struct pprof_costs *costs, double time_ms, uint32_t *group)
{
    const struct group_span *spans = costs->spans.items;
    size_t *depth = &costs->open.count;

    for (; costs->next_span < costs->spans.count && spans[costs->next_span].start_ms < time_ms;
         costs->next_span++) {
        while (*depth > 0 && spans[((const uint32_t *)costs->open.items)[*depth - 1]].end_ms <=
                                 spans[costs->next_span].start_ms)
            (*depth)--;
        uint32_t *opened = mapped_array_push(&costs->open, sizeof(*opened));
        if (opened == NULL)
            return -ENOMEM;
        *opened = (uint32_t)costs->next_span;
    }
    while (*depth > 0 && spans[((const uint32_t *)costs->open.items)[*depth - 1]].end_ms < time_ms)
        (*depth)--;
    *group = *depth > 0 ? spans[((const uint32_t *)costs->open.items)[*depth - 1]].group : 0;
    return 0;
}

/* --- Samples and allocations --- */

/* Time on the wall that the sample at INDEX stands for. */
static double wall_ns(const struct profile_thread *thread, size_t index)
{
    const struct profile_sample *sample = &thread->samples[index];
    double awake_ns = sample->cpu_ns > thread->interval_ns ? sample->cpu_ns : thread->interval_ns;

    if (index == 0)
        return awake_ns;
    double since_ns = (sample->time_ms - sample[-1].time_ms) * NS_PER_MS;
    if (!(since_ns > 0))
        return 0;
    return call_samples_sleep(thread, index) == CALL_SLEEP_IDLE && awake_ns < since_ns ? awake_ns
                                                                                       : since_ns;
}

static int take_sample(struct pprof_costs *costs, const struct profile_thread *thread, size_t index)
{
    const struct profile_sample *sample = &thread->samples[index];
    int64_t weight = (int64_t)thread_stacks_sample_weight(thread, sample);
    const int64_t values[PPROF_VALUES] = {
        [PPROF_SAMPLES] = weight > 0,
        [PPROF_CPU_NS] = thread->knows_cpu ? weight : 0,
        [PPROF_WALL_NS] = (int64_t)(wall_ns(thread, index) + 0.5),
    };
    uint32_t group;

    if (sample->stack == TABLE_NONE)
        return 0;
    int error = find_group(costs, sample->time_ms, &group);
    return error < 0 ? error : add_values(costs, sample->stack, group, values);
}

static int take_allocation(struct pprof_costs *costs, const struct profile_thread *thread,
                           const struct table_marker *marker, const char *payload)
{
    struct allocation_payload allocation;
    int found = allocation_payload_read(payload, marker->data_length,
                                        (uint32_t)thread->tables->stacks.count, &allocation);

    if (found <= 0 || allocation.size_bytes <= 0 || allocation.stack == TABLE_NONE)
        return found < 0 ? found : 0;
    const int64_t values[PPROF_VALUES] = {
        [PPROF_ALLOC_OBJECTS] = 1, [PPROF_ALLOC_SPACE] = allocation.size_bytes
    };
    return add_values(costs, allocation.stack, 0, values);
}

static int take_marker(struct pprof_costs *costs, const struct profile_thread *thread,
                       const struct table_marker *marker)
{
    const char *payload = thread_markers_data(thread->markers, marker);

    if (payload == NULL)
        return 0;
    int error = take_unit(costs, thread, marker, payload);
    return error < 0 ? error : take_allocation(costs, thread, marker, payload);
}

int pprof_costs_take(struct pprof_costs *costs, const struct profile_thread *thread)
{
    const struct table_marker *markers = thread->markers->markers.items;
    int error = 0;

    clear_costs(costs);
    for (size_t i = 0; i < thread->markers->markers.count && error == 0; i++)
        error = take_marker(costs, thread, &markers[i]);
    mapped_array_sort(&costs->spans, sizeof(struct group_span), starts_before);
    for (size_t i = 0; i < thread->sample_count && error == 0; i++)
        error = take_sample(costs, thread, i);
    return error;
}
