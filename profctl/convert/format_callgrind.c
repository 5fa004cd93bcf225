/* callgrind's profiles, for kcachegrind and callgrind_annotate: what each line of each function
 * cost, and what its calls of others did, in all threads together. Nobody counted calls: each is
 * told once. */
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
    struct mapped_array path; /* struct call_step: the stack at hand */
    struct text_output text;
    bool knows_cpu; /* the first thread did: what others tell differently is left out */
    bool has_threads;
};

static int begin_callgrind(json_sink_write write, void *context, void **out)
{
    struct callgrind *callgrind = calloc(1, sizeof(*callgrind));

    if (callgrind == NULL)
        return -ENOMEM;
    thread_stacks_init(&callgrind->stacks);
    call_graph_init(&callgrind->graph);
    *out = callgrind;
    return text_output_open(&callgrind->text, write, context);
}

/* The steps of STACK of the thread at hand; NULL without memory. */
static const struct call_step *find_path(struct callgrind *callgrind,
                                         const struct thread_tables *tables, uint32_t stack,
                                         size_t *depth)
{
    const uint32_t *places = thread_stacks_unroll_places(&callgrind->stacks, tables, stack, depth);

    if (places == NULL ||
        mapped_array_reserve(&callgrind->path, *depth + 1, sizeof(struct call_step)) < 0)
        return NULL;
    struct call_step *path = callgrind->path.items;
    for (size_t i = 0; i < *depth; i++) {
        const struct stack_place place = thread_stacks_place_at(&callgrind->stacks, places[i]);
        path[i] = (struct call_step){ place.function, place.line };
    }
    return path;
}

static int add_thread(void *state, const struct profile_thread *thread)
{
    struct callgrind *callgrind = state;
    int error = thread->sample_count > 0 ? thread_stacks_take(&callgrind->stacks, thread) : 0;

    if (thread->sample_count == 0)
        return 0;
    if (!callgrind->has_threads)
        callgrind->knows_cpu = thread->knows_cpu;
    callgrind->has_threads = true;
    for (uint32_t i = 0; error == 0 && i < thread->tables->stacks.count; i++) {
        const struct stack_sum *sum = thread_stacks_sum(&callgrind->stacks, i);
        uint64_t cost = callgrind->knows_cpu ? sum->cpu_ns : sum->samples;
        size_t depth;
        if (cost == 0)
            continue;
        const struct call_step *path = find_path(callgrind, thread->tables, i, &depth);
        error = path != NULL ? call_graph_add(&callgrind->graph, path, depth, cost) : -ENOMEM;
    }
    return error;
}

/* --- Functions and their costs --- */

/* What was told already: a text is told where it comes first, and its number stands for it from
 * then on. */
struct told {
    bool *functions, *files;
};

static void put_text(struct callgrind *callgrind, const char *what, uint32_t number,
                     const struct unique_strings *texts, uint32_t text, bool *is_told)
{
    size_t length;
    const char *bytes = unique_strings_get(texts, text, &length);

    fprintf(callgrind->text.file, "%s=(%" PRIu32 ")", what, number + 1);
    if (!*is_told) {
        putc_unlocked(' ', callgrind->text.file);
        text_output_put(&callgrind->text, bytes, length, '\0');
    }
    putc_unlocked('\n', callgrind->text.file);
    *is_told = true;
}

/* IS_CALLED: as one that is called from another. */
static void put_function(struct callgrind *callgrind, uint32_t number, bool is_called,
                         const struct told *told)
{
    const struct stack_function function = thread_stacks_function_at(&callgrind->stacks, number);

    if (function.file != UNIQUE_NONE)
        put_text(callgrind, is_called ? "cfi" : "fl", function.file, &callgrind->stacks.files,
                 function.file, &told->files[function.file]);
    else
        fprintf(callgrind->text.file, "%s=\?\?\?\n", is_called ? "cfi" : "fl");
    put_text(callgrind, is_called ? "cfn" : "fn", number, &callgrind->stacks.names, function.name,
             &told->functions[number]);
}

/* What FUNCTION cost, and its calls: both stand together, from *COST and from *EDGE on. */
static void put_costs(struct callgrind *callgrind, uint32_t function, size_t *cost, size_t *edge,
                      const struct told *told)
{
    const struct call_graph *graph = &callgrind->graph;
    const struct call_cost *costs = graph->costs.items;
    const struct call_edge *edges = graph->edges.items;
    FILE *file = callgrind->text.file;

    put_function(callgrind, function, false, told);
    for (; *cost < graph->costs.count && costs[*cost].at.function == function; (*cost)++)
        fprintf(file, "%" PRIu32 " %" PRIu64 "\n", costs[*cost].at.line, costs[*cost].cost);
    for (; *edge < graph->edges.count && edges[*edge].caller.function == function; (*edge)++) {
        put_function(callgrind, edges[*edge].callee, true, told);
        fprintf(file, "calls=1 0\n%" PRIu32 " %" PRIu64 "\n", edges[*edge].caller.line,
                edges[*edge].cost);
    }
    putc_unlocked('\n', file);
}

static uint64_t sum_of_all(const struct call_graph *graph)
{
    const struct call_cost *costs = graph->costs.items;
    uint64_t sum = 0;

    for (size_t i = 0; i < graph->costs.count; i++)
        sum += costs[i].cost;
    return sum;
}

static void put_graph(struct callgrind *callgrind, const struct told *told)
{
    uint32_t functions = unique_strings_count(&callgrind->stacks.functions);
    size_t cost = 0, edge = 0;

    call_graph_sort(&callgrind->graph);
    fprintf(callgrind->text.file,
            "# callgrind format\nversion: 1\ncreator: profd " PROFD_VERSION "\n"
            "positions: line\nevents: %s\nsummary: %" PRIu64 "\n\n",
            callgrind->knows_cpu ? "Nanoseconds" : "Samples", sum_of_all(&callgrind->graph));
    for (uint32_t i = 0; i < functions && callgrind->text.error == 0; i++)
        put_costs(callgrind, i, &cost, &edge, told);
}

static int finish_callgrind(void *state, const struct profile_facts *facts)
{
    struct callgrind *callgrind = state;
    const struct thread_stacks *stacks = &callgrind->stacks;
    const struct told told = {
        calloc((size_t)unique_strings_count(&stacks->functions) + 1, sizeof(bool)),
        calloc((size_t)unique_strings_count(&stacks->files) + 1, sizeof(bool)),
    };

    (void)facts;
    if (told.functions != NULL && told.files != NULL)
        put_graph(callgrind, &told);
    int error = told.functions != NULL && told.files != NULL ? 0 : -ENOMEM;
    free(told.functions);
    free(told.files);
    return error < 0 ? error : text_output_flush(&callgrind->text);
}

static void end_callgrind(void *state)
{
    struct callgrind *callgrind = state;

    text_output_close(&callgrind->text);
    call_graph_fini(&callgrind->graph);
    mapped_array_free(&callgrind->path);
    thread_stacks_fini(&callgrind->stacks);
    free(callgrind);
}

const struct profile_format format_callgrind = {
    .name = "callgrind",
    .ending = ".callgrind",
    .summary = "kcachegrind and callgrind_annotate",
    .begin = begin_callgrind,
    .add_thread = add_thread,
    .finish = finish_callgrind,
    .end = end_callgrind,
};
