/* Collapsed stacks, one a line, as Brendan Gregg's flamegraph.pl and many other tools read them:
 *
 *     process (pid);thread;main;work;leaf 1234
 *
 * The number is CPU time in microseconds, or samples where the profile does not tell CPU use. What
 * would end a frame there, ';' or a line, becomes ':' or a space. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "profctl/convert/profile_format.h"
#include "profctl/convert/text_output.h"
#include "profctl/convert/thread_stacks.h"

struct collapsed {
    struct thread_stacks stacks;
    struct text_output text;
};

static int begin_collapsed(json_sink_write write, void *context, void **out)
{
    struct collapsed *collapsed = calloc(1, sizeof(*collapsed));

    if (collapsed == NULL)
        return -ENOMEM;
    thread_stacks_init(&collapsed->stacks);
    *out = collapsed;
    return text_output_open(&collapsed->text, write, context);
}

static void put_frame(struct collapsed *collapsed, const char *name, size_t length)
{
    text_output_put(&collapsed->text, name, length, ';');
}

static int put_stack(struct collapsed *collapsed, const struct thread_tables *tables,
                     uint32_t stack)
{
    size_t depth, length;
    const uint32_t *path = thread_stacks_unroll(&collapsed->stacks, tables, stack, &depth);

    if (path == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < depth; i++) {
        const char *name = unique_strings_get(&collapsed->stacks.names, path[i], &length);
        putc_unlocked(';', collapsed->text.file);
        put_frame(collapsed, name, length);
    }
    return 0;
}

static int add_thread(void *state, const struct profile_thread *thread)
{
    struct collapsed *collapsed = state;
    char process[THREAD_LABEL_BYTES];
    const char *name = thread_label_name(thread);
    int error = thread_stacks_take(&collapsed->stacks, thread);

    thread_label_process(thread, process);
    for (uint32_t i = 0; error == 0 && i < thread->tables->stacks.count; i++) {
        const struct stack_sum *sum = thread_stacks_sum(&collapsed->stacks, i);
        uint64_t weight =
            thread->knows_cpu ? (sum->cpu_ns + NS_PER_US / 2) / NS_PER_US : sum->samples;
        if (weight == 0)
            continue;
        put_frame(collapsed, process, strlen(process));
        putc_unlocked(';', collapsed->text.file);
        put_frame(collapsed, name, strlen(name));
        error = put_stack(collapsed, thread->tables, i);
        fprintf(collapsed->text.file, " %" PRIu64 "\n", weight);
        if (error == 0)
            error = collapsed->text.error;
    }
    return error;
}

static int finish_collapsed(void *state, const struct profile_facts *facts)
{
    struct collapsed *collapsed = state;

    (void)facts;
    return text_output_flush(&collapsed->text);
}

static void end_collapsed(void *state)
{
    struct collapsed *collapsed = state;

    text_output_close(&collapsed->text);
    thread_stacks_fini(&collapsed->stacks);
    free(collapsed);
}

const struct profile_format format_collapsed = {
    .name = "collapsed",
    .ending = ".collapsed",
    .summary = "collapsed stacks, for flamegraph.pl",
    .begin = begin_collapsed,
    .add_thread = add_thread,
    .finish = finish_collapsed,
    .end = end_collapsed,
};
