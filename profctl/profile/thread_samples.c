#include "profctl/profile/thread_samples.h"

#include <errno.h>
#include <math.h>

#include "common/time_units.h"
#include "profctl/tables/json_table.h"
#include "profctl/tables/thread_tables.h"

enum { SAMPLE_STACK, SAMPLE_TIME, SAMPLE_CPU, SAMPLE_DELAY, SAMPLE_COLUMNS };
static const char *const sample_columns[SAMPLE_COLUMNS] = { "stack", "time", "threadCPUDelta",
                                                            "eventDelay" };
_Static_assert((uint32_t)SAMPLE_SPREAD_NO_STACK == TABLE_NONE, "no stack in both");

/* Of one sample: a day. Files may say anything. */
static const double max_ns = 86400e9;

void thread_samples_free(struct thread_samples *samples)
{
    sample_spread_free(&samples->spread);
    mapped_array_free(&samples->samples);
}

void thread_samples_clear(struct thread_samples *samples)
{
    samples->samples.count = 0;
    samples->knows_cpu = false;
    samples->not_sampled_ns = 0;
}

static int take_sample(struct thread_samples *samples, const struct sample_terms *terms,
                       const struct json_cell *cells)
{
    const struct json_cell *cpu = &cells[SAMPLE_CPU], *time = &cells[SAMPLE_TIME];
    const struct json_cell *delay = &cells[SAMPLE_DELAY];
    bool has_cpu = samples->knows_cpu && cpu->token == JSON_TOKEN_NUMBER && cpu->number > 0;
    double cpu_ns = has_cpu ? cpu->number * terms->cpu_unit_ns : 0;
    uint32_t stack;
    int error = json_cell_index_or_none(&cells[SAMPLE_STACK], terms->stack_count, &stack);
    struct profile_sample *sample =
        error == 0 ? mapped_array_push(&samples->samples, sizeof(*sample)) : NULL;

    if (sample == NULL)
        return error < 0 ? error : -ENOMEM;
    *sample = (struct profile_sample){
        .time_ms = time->token == JSON_TOKEN_NUMBER ? time->number : 0,
        .cpu_ns = cpu_ns < max_ns ? cpu_ns : max_ns,
        .event_delay_ms =
            delay->token == JSON_TOKEN_NUMBER && delay->number > 0 ? delay->number : 0,
        .stack = stack,
        .is_active = !samples->knows_cpu || has_cpu,
    };
    const struct spread_sample weighed = { sample->time_ms * NS_PER_MS, sample->cpu_ns, stack };
    return samples->knows_cpu ? sample_spread_add(&samples->spread, &weighed) : 0;
}

/* All samples of the thread are known: gives each its weight. */
static void weigh_samples(struct thread_samples *thread)
{
    struct profile_sample *samples = thread->samples.items;

    thread->not_sampled_ns = sample_spread_weigh(&thread->spread);
    const struct spread_sample *weighed = thread->spread.samples.items;
    for (size_t i = 0; i < thread->spread.samples.count; i++)
        samples[i].weight_ns = weighed[i].cpu_ns;
}

int thread_samples_read(struct thread_samples *samples, const struct sample_terms *terms,
                        struct json_reader *reader)
{
    struct json_cell cells[JSON_TABLE_MAX_COLUMNS];
    struct json_table table;
    int error = json_table_open(&table, sample_columns, SAMPLE_COLUMNS, reader);

    if (error < 0)
        return error;
    samples->samples.count = 0;
    samples->knows_cpu = table.places[SAMPLE_CPU] >= 0 && terms->cpu_unit_ns > 0;
    /* Without times a sample is all that is known of where its time was used. */
    sample_spread_begin(&samples->spread,
                        table.places[SAMPLE_TIME] >= 0 ? terms->tick_ns : INFINITY);
    while (json_table_next(&table, reader, cells, &error))
        error = take_sample(samples, terms, cells);
    if (error == 0)
        weigh_samples(samples);
    return error;
}
