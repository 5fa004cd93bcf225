/* pprof's format, by protobuf-c: samples with their CPU time, and labels for process and thread.
 *
 * Messages of one type that follow one another are one message, so the samples of a thread are
 * written as soon as it is known, and the names that all share at the end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "profctl/convert/pprof.pb-c.h"
#include "profctl/convert/profile_format.h"
#include "profctl/convert/thread_stacks.h"
#include "profctl/profile/function_name.h"

enum { VALUES = 2, LABELS = 3, FIRST_ID = 1 /* 0 is none */ };

struct pprof {
    struct thread_stacks stacks;
    struct failure_latch latch;
    struct unique_strings strings; /* the profile's table; the first is "" */
    json_sink_write write;
    void *context;
    double interval_ns; /* of the first thread that tells one */
};

/* The number of TEXT in the table; what finds no memory is latched. */
static int64_t string_of(struct pprof *pprof, const char *text, size_t length)
{
    return (int64_t)unique_strings_add(&pprof->strings, text, length);
}

static int64_t word_of(struct pprof *pprof, const char *word)
{
    return string_of(pprof, word, strlen(word));
}

static int write_message(struct pprof *pprof, const Pprof__Profile *message)
{
    size_t bytes = pprof__profile__get_packed_size(message);
    uint8_t *packed = malloc(bytes + 1);

    if (packed == NULL)
        return -ENOMEM;
    pprof__profile__pack(message, packed);
    int err = pprof->write(pprof->context, (const char *)packed, bytes);
    free(packed);
    return err < 0 ? err : failure_latch_error(&pprof->latch);
}

/* --- What each sample has --- */

static int write_types(struct pprof *pprof)
{
    Pprof__ValueType samples = PPROF__VALUE_TYPE__INIT, cpu = PPROF__VALUE_TYPE__INIT;
    Pprof__ValueType *types[VALUES] = { &samples, &cpu };
    Pprof__Profile message = PPROF__PROFILE__INIT;

    samples.type = word_of(pprof, "samples");
    samples.unit = word_of(pprof, "count");
    cpu.type = word_of(pprof, "cpu");
    cpu.unit = word_of(pprof, "nanoseconds");
    message.n_sample_type = VALUES;
    message.sample_type = types;
    message.default_sample_type = cpu.type;
    return write_message(pprof, &message);
}

static int begin(json_sink_write write, void *context, void **out)
{
    struct pprof *pprof = calloc(1, sizeof(*pprof));

    if (pprof == NULL)
        return -ENOMEM;
    failure_latch_init(&pprof->latch);
    unique_strings_init(&pprof->strings, &pprof->latch);
    thread_stacks_init(&pprof->stacks);
    pprof->write = write;
    pprof->context = context;
    *out = pprof;
    (void)word_of(pprof, "");
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
    label->key = word_of(pprof, key);
    if (text != NULL)
        label->str = word_of(pprof, text);
    else
        label->num = (int64_t)number;
    labels->list[labels->count++] = label;
}

static int write_sample(struct pprof *pprof, struct thread_labels *labels, const uint32_t *path,
                        size_t depth, const struct stack_sum *sum)
{
    int64_t values[VALUES] = { (int64_t)sum->samples, (int64_t)sum->cpu_ns };
    Pprof__Sample sample = PPROF__SAMPLE__INIT, *samples[] = { &sample };
    Pprof__Profile message = PPROF__PROFILE__INIT;
    uint64_t *locations = malloc((depth + 1) * sizeof(*locations));

    if (locations == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < depth; i++)
        locations[depth - 1 - i] = path[i] + FIRST_ID;
    sample.n_location_id = depth;
    sample.location_id = locations;
    sample.n_value = VALUES;
    sample.value = values;
    sample.n_label = labels->count;
    sample.label = labels->list;
    message.n_sample = 1;
    message.sample = samples;
    int err = write_message(pprof, &message);
    free(locations);
    return err;
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

/* --- Names --- */

/* The number of LIBRARY's mapping; a new one is written. 0: no memory. */
static uint64_t mapping_of(struct pprof *pprof, struct unique_strings *libraries,
                           const char *library, size_t length, int *err)
{
    uint32_t known = unique_strings_count(libraries);
    uint64_t id = (uint64_t)unique_strings_add(libraries, library, length) + FIRST_ID;
    Pprof__Mapping mapping = PPROF__MAPPING__INIT, *mappings[] = { &mapping };
    Pprof__Profile message = PPROF__PROFILE__INIT;

    if (unique_strings_count(libraries) == known)
        return id;
    mapping.id = id;
    mapping.filename = string_of(pprof, library, length);
    mapping.has_functions = true;
    message.n_mapping = 1;
    message.mapping = mappings;
    *err = write_message(pprof, &message);
    return id;
}

/* A name is one function at one place. */
static int write_name(struct pprof *pprof, struct unique_strings *libraries, uint32_t index)
{
    Pprof__Function function = PPROF__FUNCTION__INIT, *functions[] = { &function };
    Pprof__Location location = PPROF__LOCATION__INIT, *locations[] = { &location };
    Pprof__Line line = PPROF__LINE__INIT, *lines[] = { &line };
    Pprof__Profile message = PPROF__PROFILE__INIT;
    struct function_name parts;
    size_t length;
    const char *name = unique_strings_get(&pprof->stacks.names, index, &length);
    int err = 0;

    function_name_parse(name, length, &parts);
    if (parts.library != NULL)
        location.mapping_id =
            mapping_of(pprof, libraries, parts.library, parts.library_length, &err);
    function.id = location.id = line.function_id = index + FIRST_ID;
    function.name = function.system_name =
        string_of(pprof, name, parts.library != NULL ? parts.function_length : length);
    location.n_line = 1;
    location.line = lines;
    message.n_function = message.n_location = 1;
    message.function = functions;
    message.location = locations;
    return err < 0 ? err : write_message(pprof, &message);
}

static int write_names(struct pprof *pprof)
{
    struct unique_strings libraries;
    int err = 0;

    unique_strings_init(&libraries, &pprof->latch);
    for (uint32_t i = 0; i < unique_strings_count(&pprof->stacks.names) && err == 0; i++)
        err = write_name(pprof, &libraries, i);
    unique_strings_fini(&libraries);
    return err;
}

/* They are numbered in this order. Nothing is added any more. */
static int write_strings(struct pprof *pprof)
{
    int err = 0;

    for (uint32_t i = 0; i < unique_strings_count(&pprof->strings) && err == 0; i++) {
        Pprof__Profile message = PPROF__PROFILE__INIT;
        size_t length;
        const char *view = unique_strings_get(&pprof->strings, i, &length);
        char *text = strndup(view, length), *texts[] = { text };
        if (text == NULL)
            return -ENOMEM;
        message.n_string_table = 1;
        message.string_table = texts;
        err = write_message(pprof, &message);
        free(text);
    }
    return err;
}

static int finish(void *state, const struct profile_facts *facts)
{
    struct pprof *pprof = state;
    Pprof__ValueType period = PPROF__VALUE_TYPE__INIT;
    Pprof__Profile message = PPROF__PROFILE__INIT;
    double start_ns = facts->start_unix_ms * NS_PER_MS;

    period.type = word_of(pprof, "cpu");
    period.unit = word_of(pprof, "nanoseconds");
    message.period_type = &period;
    message.period = (int64_t)pprof->interval_ns;
    message.time_nanos = start_ns > 0 && start_ns < 9e18 ? (int64_t)start_ns : 0;
    int err = write_message(pprof, &message);
    if (err == 0)
        err = write_names(pprof);
    return err < 0 ? err : write_strings(pprof);
}

static void end(void *state)
{
    struct pprof *pprof = state;

    unique_strings_fini(&pprof->strings);
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
