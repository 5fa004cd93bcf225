#include "profctl/convert/thread_stacks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "profctl/profile/frame_name.h"

void thread_stacks_init(struct thread_stacks *stacks)
{
    *stacks = (struct thread_stacks){ 0 };
    failure_latch_init(&stacks->latch);
    unique_strings_init(&stacks->names, &stacks->latch);
}

void thread_stacks_fini(struct thread_stacks *stacks)
{
    unique_strings_fini(&stacks->names);
    mapped_array_free(&stacks->frames);
    mapped_array_free(&stacks->sums);
    mapped_array_free(&stacks->path);
}

/* Several stacks end in one frame, but its name is found by a short look. */
static int name_frames(struct thread_stacks *stacks, const struct profile_thread *thread)
{
    const struct thread_tables *tables = thread->tables;
    uint32_t *names = stacks->frames.items;

    for (uint32_t i = 0; i < tables->stacks.count; i++) {
        uint32_t frame = thread_tables_stack(tables, i)->frame;
        char buffer[FRAME_NAME_BYTES];
        size_t length;
        const char *name =
            frame_name(tables, thread->libraries, thread_tables_frame(tables, frame)->location,
                       buffer, &length);
        names[i] = unique_strings_add(&stacks->names, name, length);
        if (names[i] == UNIQUE_NONE)
            return -ENOMEM;
    }
    return 0;
}

uint64_t thread_stacks_sample_weight(const struct profile_thread *thread,
                                     const struct profile_sample *sample)
{
    if (sample->stack == TABLE_NONE)
        return 0;
    return thread->knows_cpu ? (uint64_t)(sample->weight_ns + 0.5) : 1;
}

static void add_sample(const struct profile_thread *thread, const struct profile_sample *sample,
                       struct stack_sum *sums)
{
    uint64_t weight = thread_stacks_sample_weight(thread, sample);

    if (weight == 0)
        return;
    sums[sample->stack].samples++;
    sums[sample->stack].cpu_ns += thread->knows_cpu ? weight : 0;
}

int thread_stacks_take(struct thread_stacks *stacks, const struct profile_thread *thread)
{
    size_t count = thread->tables->stacks.count + 1;
    int err = mapped_array_reserve(&stacks->frames, count, sizeof(uint32_t));

    if (err == 0)
        err = mapped_array_reserve(&stacks->sums, count, sizeof(struct stack_sum));
    if (err < 0)
        return err;
    memset(stacks->sums.items, 0, count * sizeof(struct stack_sum));
    for (size_t i = 0; i < thread->sample_count; i++)
        add_sample(thread, &thread->samples[i], stacks->sums.items);
    return name_frames(stacks, thread);
}

const uint32_t *thread_stacks_unroll(struct thread_stacks *stacks,
                                     const struct thread_tables *tables, uint32_t stack,
                                     size_t *depth)
{
    const uint32_t *names = stacks->frames.items;
    size_t frames = 0;

    for (uint32_t i = stack; i != TABLE_NONE; i = thread_tables_stack(tables, i)->prefix)
        frames++;
    *depth = frames;
    if (mapped_array_reserve(&stacks->path, frames + 1, sizeof(uint32_t)) < 0)
        return NULL;
    uint32_t *path = stacks->path.items;
    for (uint32_t i = stack; i != TABLE_NONE; i = thread_tables_stack(tables, i)->prefix)
        path[--frames] = names[i];
    return path;
}

uint32_t thread_stacks_name(const struct thread_stacks *stacks, uint32_t stack)
{
    return ((const uint32_t *)stacks->frames.items)[stack];
}

const struct stack_sum *thread_stacks_sum(const struct thread_stacks *stacks, uint32_t stack)
{
    return (const struct stack_sum *)stacks->sums.items + stack;
}

void thread_label_process(const struct profile_thread *thread, char out[THREAD_LABEL_BYTES])
{
    const char *name = thread->process_name != NULL ? thread->process_name : "process";

    if (thread->pid >= 0)
        snprintf(out, THREAD_LABEL_BYTES, "%s (%.0f)", name, thread->pid);
    else
        snprintf(out, THREAD_LABEL_BYTES, "%s", name);
}

const char *thread_label_named(const char *name)
{
    if (name == NULL || name[0] == '\0')
        return "unnamed thread";
    return strcmp(name, "GeckoMain") == 0 ? "main thread" : name;
}

const char *thread_label_name(const struct profile_thread *thread)
{
    return thread_label_named(thread->name);
}
