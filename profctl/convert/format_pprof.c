/* pprof's format: samples with their CPU time, and labels for process and thread. A thread's
 * samples are written as soon as it is known, and the names that all share at the end. */
#include <errno.h>
#include <stdlib.h>

#include "common/time_units.h"
#include "profctl/convert/pprof_writer.h"
#include "profctl/convert/profile_format.h"
#include "profctl/convert/thread_stacks.h"

enum { VALUES = 2, LABELS = 3 };

struct pprof {
    struct thread_stacks stacks;
    struct pprof_writer writer;
    double interval_ns; /* of the first thread that tells one */
};

/* --- What each sample has --- */

static int write_types(struct pprof *pprof)
{
    Pprof__ValueType samples = PPROF__VALUE_TYPE__INIT, cpu = PPROF__VALUE_TYPE__INIT;
    Pprof__ValueType *types[VALUES] = { &samples, &cpu };
    Pprof__Profile message = PPROF__PROFILE__INIT;

    samples.type = pprof_writer_word(&pprof->writer, "samples");
    samples.unit = pprof_writer_word(&pprof->writer, "count");
    cpu.type = pprof_writer_word(&pprof->writer, "cpu");
    cpu.unit = pprof_writer_word(&pprof->writer, "nanoseconds");
    message.n_sample_type = VALUES;
    message.sample_type = types;
    message.default_sample_type = cpu.type;
    return pprof_writer_message(&pprof->writer, &message);
}

static int begin(json_sink_write write, void *context, void **out)
{
    struct pprof *pprof = calloc(1, sizeof(*pprof));

    if (pprof == NULL)
        return -ENOMEM;
    pprof_writer_init(&pprof->writer, write, context);
    thread_stacks_init(&pprof->stacks);
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

static int write_sample(struct pprof *pprof, struct thread_labels *labels, const uint32_t *path,
                        size_t depth, const struct stack_sum *sum)
{
    int64_t values[VALUES] = { (int64_t)sum->samples, (int64_t)sum->cpu_ns };
    Pprof__Sample sample = PPROF__SAMPLE__INIT;

    sample.n_value = VALUES;
    sample.value = values;
    sample.n_label = labels->count;
    sample.label = labels->list;
    return pprof_writer_sample(&pprof->writer, path, depth, &sample);
}

static int add_thread(void *state, const struct profile_thread *thread)
{
    struct pprof *pprof = state;
    struct thread_labels labels = { .count = 0 };
    int err = thread_stacks_take(&pprof->stacks, thread);

    if (pprof->interval_ns <= 0)
        pprof->interval_ns = thread->interval_ns;
    add_label(pprof, &labels, "process",
              thread->process_name != NULL ? thread->process_name : "process", -1);
    add_label(pprof, &labels, "thread", thread_label_name(thread), -1);
    add_label(pprof, &labels, "pid", NULL, thread->pid);
    for (uint32_t i = 0; err == 0 && i < thread->tables->stacks.count; i++) {
        const struct stack_sum *sum = thread_stacks_sum(&pprof->stacks, i);
        size_t depth;
        if (sum->samples == 0)
            continue;
        const uint32_t *path = thread_stacks_unroll(&pprof->stacks, thread->tables, i, &depth);
        err = path != NULL ? write_sample(pprof, &labels, path, depth, sum) : -ENOMEM;
    }
    return err;
}

static int finish(void *state, const struct profile_facts *facts)
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
    int err = pprof_writer_message(&pprof->writer, &message);
    return err < 0 ? err : pprof_writer_names(&pprof->writer, &pprof->stacks.names);
}

static void end(void *state)
{
    struct pprof *pprof = state;

    pprof_writer_fini(&pprof->writer);
    thread_stacks_fini(&pprof->stacks);
    free(pprof);
}

const struct profile_format format_pprof = {
    .name = "pprof",
    .ending = ".pb",
    .summary = "pprof, with labels for process and thread",
    .begin = begin,
    .add_thread = add_thread,
    .finish = finish,
    .end = end,
};
