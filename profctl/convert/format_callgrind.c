/* callgrind's profiles, for kcachegrind and callgrind_annotate: what each function cost, and what
 * its calls of others did, in all threads together. Nobody counted calls: each is told once. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "profctl/convert/call_graph.h"
#include "profctl/convert/profile_format.h"
#include "profctl/convert/text_output.h"
#include "profctl/convert/thread_stacks.h"

struct callgrind {
    struct thread_stacks stacks;
    struct call_graph graph;
    struct text_output text;
    bool knows_cpu; /* the first thread did: what others tell differently is left out */
    bool has_threads;
};

static int begin(json_sink_write write, void *context, void **out)
{
    struct callgrind *callgrind = calloc(1, sizeof(*callgrind));

    if (callgrind == NULL)
        return -ENOMEM;
    thread_stacks_init(&callgrind->stacks);
    call_graph_init(&callgrind->graph);
    *out = callgrind;
    return text_output_open(&callgrind->text, write, context);
}

static int add_thread(void *state, const struct profile_thread *thread)
{
    struct callgrind *callgrind = state;
    int err = thread->sample_count > 0 ? thread_stacks_take(&callgrind->stacks, thread) : 0;

    if (thread->sample_count == 0)
        return 0;
    if (!callgrind->has_threads)
        callgrind->knows_cpu = thread->knows_cpu;
    callgrind->has_threads = true;
    for (uint32_t i = 0; err == 0 && i < thread->tables->stacks.count; i++) {
        const struct stack_sum *sum = thread_stacks_sum(&callgrind->stacks, i);
        uint64_t cost = callgrind->knows_cpu ? sum->cpu_ns : sum->samples;
        size_t depth;
        if (cost == 0)
            continue;
        const uint32_t *path = thread_stacks_unroll(&callgrind->stacks, thread->tables, i, &depth);
        err = path != NULL ? call_graph_add(&callgrind->graph, path, depth, cost) : -ENOMEM;
    }
    return err;
}

/* A name is told where it comes first, and its number stands for it from then on. */
static void put_function(struct callgrind *callgrind, const char *what, uint32_t function,
                         bool *is_told)
{
    size_t length;
    const char *name = unique_strings_get(&callgrind->stacks.names, function, &length);

    fprintf(callgrind->text.file, "%s=(%" PRIu32 ")", what, function + 1);
    if (!is_told[function]) {
        putc_unlocked(' ', callgrind->text.file);
        text_output_put(&callgrind->text, name, length, '\0');
    }
    putc_unlocked('\n', callgrind->text.file);
    is_told[function] = true;
}

/* What FUNCTION cost, and its calls, which stand together from *NEXT on. */
static void put_costs(struct callgrind *callgrind, uint32_t function, size_t *next, bool *is_told)
{
    const struct call_edge *edges = callgrind->graph.edges.items;
    size_t count = callgrind->graph.edges.count;

    put_function(callgrind, "fn", function, is_told);
    fprintf(callgrind->text.file, "0 %" PRIu64 "\n", call_graph_self(&callgrind->graph, function));
    for (; *next < count && edges[*next].caller == function; (*next)++) {
        put_function(callgrind, "cfn", edges[*next].callee, is_told);
        fprintf(callgrind->text.file, "calls=1 0\n0 %" PRIu64 "\n", edges[*next].cost);
    }
    putc_unlocked('\n', callgrind->text.file);
}

static uint64_t sum_of_all(const struct callgrind *callgrind)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < unique_strings_count(&callgrind->stacks.names); i++)
        sum += call_graph_self(&callgrind->graph, i);
    return sum;
}

static int finish(void *state, const struct profile_facts *facts)
{
    struct callgrind *callgrind = state;
    uint32_t functions = unique_strings_count(&callgrind->stacks.names);
    bool *is_told = calloc((size_t)functions + 1, sizeof(*is_told));
    size_t next = 0;

    (void)facts;
    if (is_told == NULL)
        return -ENOMEM;
    call_graph_sort(&callgrind->graph);
    fprintf(callgrind->text.file,
            "# callgrind format\nversion: 1\ncreator: profd " PROFD_VERSION "\n"
            "positions: line\nevents: %s\nsummary: %" PRIu64 "\n\nfl=\?\?\?\n",
            callgrind->knows_cpu ? "Nanoseconds" : "Samples", sum_of_all(callgrind));
    for (uint32_t i = 0; i < functions && callgrind->text.error == 0; i++)
        put_costs(callgrind, i, &next, is_told);
    free(is_told);
    return text_output_flush(&callgrind->text);
}

static void end(void *state)
{
    struct callgrind *callgrind = state;

    text_output_close(&callgrind->text);
    call_graph_fini(&callgrind->graph);
    thread_stacks_fini(&callgrind->stacks);
    free(callgrind);
}

const struct profile_format format_callgrind = {
    .name = "callgrind",
    .ending = ".callgrind",
    .summary = "kcachegrind and callgrind_annotate",
    .begin = begin,
    .add_thread = add_thread,
    .finish = finish,
    .end = end,
};
