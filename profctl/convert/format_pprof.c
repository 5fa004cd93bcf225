/* pprof's format: samples with CPU time, time on the wall and allocations, and labels for process,
 * thread and group. A thread's samples are written as soon as it is known, and the places in code
 * that all share at the end. */
#include <errno.h>
#include <stdlib.h>

#include "common/time_units.h"
#include "profctl/convert/pprof_costs.h"
#include "profctl/convert/pprof_places.h"
#include "profctl/convert/pprof_writer.h"
#include "profctl/convert/profile_format.h"
#include "profctl/convert/thread_stacks.h"

enum { LABELS = 4 };

struct pprof {
    struct thread_stacks stacks;
    struct pprof_writer writer;
    struct pprof_places places;
    struct pprof_costs costs;
    double interval_ns; /* of the first thread that tells one */
};

/* --- What each sample has --- */

/* All of them in every profile, as pprof compares only profiles of the same types. */
static int write_types(struct pprof *pprof)
{
    static const char *const names[PPROF_VALUES][2] = {
        [PPROF_SAMPLES] = { "samples", "count" },
        [PPROF_CPU_NS] = { "cpu", "nanoseconds" },
        [PPROF_WALL_NS] = { "wall", "nanoseconds" },
        [PPROF_ALLOC_OBJECTS] = { "alloc_objects", "count" },
        [PPROF_ALLOC_SPACE] = { "alloc_space", "bytes" },
    };
    Pprof__ValueType types[PPROF_VALUES], *list[PPROF_VALUES];
    Pprof__Profile message = PPROF__PROFILE__INIT;

    for (int i = 0; i < PPROF_VALUES; i++) {
        pprof__value_type__init(&types[i]);
        types[i].type = pprof_writer_word(&pprof->writer, names[i][0]);
        types[i].unit = pprof_writer_word(&pprof->writer, names[i][1]);
        list[i] = &types[i];
    }
    message.n_sample_type = PPROF_VALUES;
    message.sample_type = list;
    message.default_sample_type = types[PPROF_CPU_NS].type;
    return pprof_writer_message(&pprof->writer, &message);
}

static int begin_pprof(json_sink_write write, void *context, void **out)
{
    struct pprof *pprof = calloc(1, sizeof(*pprof));

    if (pprof == NULL)
        return -ENOMEM;
    pprof_writer_init(&pprof->writer, write, context);
    thread_stacks_init(&pprof->stacks);
    pprof_places_init(&pprof->places, &pprof->stacks, &pprof->writer);
    pprof_costs_init(&pprof->costs, &pprof->writer.latch);
    *out = pprof;
    return write_types(pprof);
}

/* --- Samples --- */

struct thread_labels {
    Pprof__Label labels[LABELS];
    Pprof__Label *list[LABELS];
    size_t count;
};

static void add_label(struct pprof *pprof, struct thread_labels *labels, const char *key,
                      const char *text, double number)
{
    Pprof__Label *label = &labels->labels[labels->count];

    if (text == NULL && !(number >= 0 && number < 9e15))
        return;
    pprof__label__init(label);
    label->key = pprof_writer_word(&pprof->writer, key);
    if (text != NULL)
        label->str = pprof_writer_word(&pprof->writer, text);
    else
        label->num = (int64_t)number;
    labels->list[labels->count++] = label;
}

static void add_group(struct pprof *pprof, struct thread_labels *labels, uint32_t group_and_1)
{
    size_t length;

    if (group_and_1 == 0)
        return;
    const char *text = unique_strings_get(&pprof->costs.groups, group_and_1 - 1, &length);
    Pprof__Label *label = &labels->labels[labels->count];
    pprof__label__init(label);
    label->key = pprof_writer_word(&pprof->writer, "group");
    label->str = pprof_writer_string(&pprof->writer, text, length);
    labels->list[labels->count++] = label;
}

static int write_sample(struct pprof *pprof, const struct thread_tables *tables,
                        struct pprof_cost *cost, const struct thread_labels *labels)
{
    struct thread_labels own = *labels;
    Pprof__Sample sample = PPROF__SAMPLE__INIT, *samples[] = { &sample };
    Pprof__Profile message = PPROF__PROFILE__INIT;

    for (size_t i = 0; i < own.count; i++)
        own.list[i] = &own.labels[i];
    add_group(pprof, &own, cost->group);
    sample.location_id =
        pprof_places_unroll(&pprof->places, tables, cost->stack, &sample.n_location_id);
    if (sample.location_id == NULL)
        return -ENOMEM;
    sample.n_value = PPROF_VALUES;
    sample.value = cost->values;
    sample.n_label = own.count;
    sample.label = own.list;
    message.n_sample = 1;
    message.sample = samples;
    return pprof_writer_message(&pprof->writer, &message);
}

static int add_thread(void *state, const struct profile_thread *thread)
{
    struct pprof *pprof = state;
    struct pprof_cost *costs;
    struct thread_labels labels = { .count = 0 };
    int error = thread_stacks_take(&pprof->stacks, thread);

    if (error == 0)
        error = pprof_places_take(&pprof->places, thread);
    if (error == 0)
        error = pprof_costs_take(&pprof->costs, thread);
    if (pprof->interval_ns <= 0)
        pprof->interval_ns = thread->interval_ns;
    add_label(pprof, &labels, "process",
              thread->process_name != NULL ? thread->process_name : "process", -1);
    add_label(pprof, &labels, "thread", thread_label_name(thread), -1);
    add_label(pprof, &labels, "pid", NULL, thread->pid);
    costs = pprof->costs.costs.items;
    for (size_t i = 0; error == 0 && i < pprof->costs.costs.count; i++)
        error = write_sample(pprof, thread->tables, &costs[i], &labels);
    return error;
}

static int finish_pprof(void *state, const struct profile_facts *facts)
{
    struct pprof *pprof = state;
    Pprof__ValueType period = PPROF__VALUE_TYPE__INIT;
    Pprof__Profile message = PPROF__PROFILE__INIT;
    double start_ns = facts->start_unix_ms * NS_PER_MS;

    period.type = pprof_writer_word(&pprof->writer, "cpu");
    period.unit = pprof_writer_word(&pprof->writer, "nanoseconds");
    message.period_type = &period;
    message.period = (int64_t)pprof->interval_ns;
    message.time_nanos = start_ns > 0 && start_ns < 9e18 ? (int64_t)start_ns : 0;
    int error = pprof_writer_message(&pprof->writer, &message);
    if (error == 0)
        error = pprof_places_write(&pprof->places);
    return error < 0 ? error : pprof_writer_strings(&pprof->writer);
}

static void end_pprof(void *state)
{
    struct pprof *pprof = state;

    pprof_costs_fini(&pprof->costs);
    pprof_places_fini(&pprof->places);
    pprof_writer_fini(&pprof->writer);
    thread_stacks_fini(&pprof->stacks);
    free(pprof);
}

const struct profile_format format_pprof = {
    .name = "pprof",
    .ending = ".pb",
    .summary = "pprof, with labels for process, thread and group",
    .wants_markers = true,
    .begin = begin_pprof,
    .add_thread = add_thread,
    .finish = finish_pprof,
    .end = end_pprof,
};
