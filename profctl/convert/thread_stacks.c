#include "profctl/convert/thread_stacks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "profctl/profile/frame_name.h"
#include "profctl/profile/function_name.h"

void thread_stacks_init(struct thread_stacks *stacks)
{
    *stacks = (struct thread_stacks){ 0 };
    failure_latch_init(&stacks->latch);
    unique_strings_init(&stacks->names, &stacks->latch);
    unique_strings_init(&stacks->files, &stacks->latch);
    unique_strings_init(&stacks->functions, &stacks->latch);
    unique_strings_init(&stacks->places, &stacks->latch);
}

void thread_stacks_fini(struct thread_stacks *stacks)
{
    unique_strings_fini(&stacks->names);
    unique_strings_fini(&stacks->files);
    unique_strings_fini(&stacks->functions);
    unique_strings_fini(&stacks->places);
    mapped_array_free(&stacks->files_of);
    mapped_array_free(&stacks->frame_places);
    mapped_array_free(&stacks->stack_places);
    mapped_array_free(&stacks->frames);
    mapped_array_free(&stacks->sums);
    mapped_array_free(&stacks->path);
}

/* --- Where frames are --- */

static int note_file(struct thread_stacks *stacks, const struct stack_function *function,
                     uint32_t line)
{
    size_t names = unique_strings_count(&stacks->names);

    if (function->file == UNIQUE_NONE)
        return 0;
    if (mapped_array_reserve(&stacks->files_of, names, sizeof(struct name_file)) < 0)
        return -ENOMEM;
    stacks->files_of.count = names; /* new memory is zeroed */
    struct name_file *known = (struct name_file *)stacks->files_of.items + function->name;
    if (known->file_and_1 == 0)
        known->file_and_1 = function->file + 1;
    if (known->file_and_1 == function->file + 1 && line != 0 &&
        (known->line == 0 || line < known->line))
        known->line = line;
    return 0;
}

/* Fills in the file and line that FRAME, or else its NAME, has. */
static void find_file(struct thread_stacks *stacks, const struct thread_tables *tables,
                      const struct table_frame *frame, struct stack_function *function,
                      uint32_t *line)
{
    struct function_name parts;
    size_t length;
    const char *text = unique_strings_get(&stacks->names, function->name, &length);

    function_name_parse(text, length, &parts);
    if (frame->file != TABLE_NONE) {
        parts.file = thread_tables_string(tables, frame->file, &parts.file_length);
        parts.line = 0;
    }
    function->file = parts.file != NULL
                         ? unique_strings_add(&stacks->files, parts.file, parts.file_length)
                         : UNIQUE_NONE;
    *line = frame->line != 0 ? frame->line : parts.line;
}

/* The place of frame INDEX, and 1; 0 without memory. */
static uint32_t find_place(struct thread_stacks *stacks, const struct profile_thread *thread,
                           uint32_t index)
{
    const struct table_frame *frame = thread_tables_frame(thread->tables, index);
    char buffer[FRAME_NAME_BYTES];
    size_t length;
    const char *name =
        frame_name(thread->tables, thread->libraries, frame->location, buffer, &length);
    struct stack_function function = { .name = unique_strings_add(&stacks->names, name, length) };
    struct stack_place place = { .is_inlined = frame->is_inlined };

    if (function.name == UNIQUE_NONE)
        return 0;
    find_file(stacks, thread->tables, frame, &function, &place.line);
    place.function =
        unique_strings_add(&stacks->functions, (const char *)&function, sizeof(function));
    if (note_file(stacks, &function, place.line) < 0)
        return 0;
    return unique_strings_add(&stacks->places, (const char *)&place, sizeof(place)) + 1;
}

static int place_frames(struct thread_stacks *stacks, const struct profile_thread *thread)
{
    const struct thread_tables *tables = thread->tables;
    uint32_t *of_frames = stacks->frame_places.items, *of_stacks = stacks->stack_places.items;
    uint32_t *names = stacks->frames.items;

    memset(of_frames, 0, tables->frames.count * sizeof(uint32_t));
    for (uint32_t i = 0; i < tables->stacks.count; i++) {
        uint32_t frame = thread_tables_stack(tables, i)->frame;
        if (of_frames[frame] == 0)
            of_frames[frame] = find_place(stacks, thread, frame);
        if (of_frames[frame] == 0)
            return -ENOMEM;
        of_stacks[i] = of_frames[frame] - 1;
        const struct stack_place place = thread_stacks_place_at(stacks, of_stacks[i]);
        names[i] = thread_stacks_function_at(stacks, place.function).name;
    }
    return failure_latch_error(&stacks->latch);
}

/* --- What ended in stacks --- */

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
    int error = mapped_array_reserve(&stacks->frames, count, sizeof(uint32_t));

    if (error == 0)
        error = mapped_array_reserve(&stacks->stack_places, count, sizeof(uint32_t));
    if (error == 0)
        error = mapped_array_reserve(&stacks->frame_places, thread->tables->frames.count + 1,
                                     sizeof(uint32_t));
    if (error == 0)
        error = mapped_array_reserve(&stacks->sums, count, sizeof(struct stack_sum));
    if (error < 0)
        return error;
    memset(stacks->sums.items, 0, count * sizeof(struct stack_sum));
    for (size_t i = 0; i < thread->sample_count; i++)
        add_sample(thread, &thread->samples[i], stacks->sums.items);
    return place_frames(stacks, thread);
}

static const uint32_t *unroll_path(struct thread_stacks *stacks, const uint32_t *of_stacks,
                                   const struct thread_tables *tables, uint32_t stack,
                                   size_t *depth)
{
    size_t frames = 0;

    for (uint32_t i = stack; i != TABLE_NONE; i = thread_tables_stack(tables, i)->prefix)
        frames++;
    *depth = frames;
    if (mapped_array_reserve(&stacks->path, frames + 1, sizeof(uint32_t)) < 0)
        return NULL;
    uint32_t *path = stacks->path.items;
    for (uint32_t i = stack; i != TABLE_NONE; i = thread_tables_stack(tables, i)->prefix)
        path[--frames] = of_stacks[i];
    return path;
}

const uint32_t *thread_stacks_unroll(struct thread_stacks *stacks,
                                     const struct thread_tables *tables, uint32_t stack,
                                     size_t *depth)
{
    return unroll_path(stacks, stacks->frames.items, tables, stack, depth);
}

const uint32_t *thread_stacks_unroll_places(struct thread_stacks *stacks,
                                            const struct thread_tables *tables, uint32_t stack,
                                            size_t *depth)
{
    return unroll_path(stacks, stacks->stack_places.items, tables, stack, depth);
}

uint32_t thread_stacks_place(const struct thread_stacks *stacks, uint32_t stack)
{
    return ((const uint32_t *)stacks->stack_places.items)[stack];
}

struct stack_place thread_stacks_place_at(const struct thread_stacks *stacks, uint32_t place)
{
    struct stack_place out;
    size_t length;

    memcpy(&out, unique_strings_get(&stacks->places, place, &length), sizeof(out));
    return out;
}

struct stack_function thread_stacks_function_at(const struct thread_stacks *stacks,
                                                uint32_t function)
{
    struct stack_function out;
    size_t length;

    memcpy(&out, unique_strings_get(&stacks->functions, function, &length), sizeof(out));
    return out;
}

static struct name_file file_of(const struct thread_stacks *stacks, uint32_t name)
{
    const struct name_file none = { 0 };

    return name < stacks->files_of.count ? ((const struct name_file *)stacks->files_of.items)[name]
                                         : none;
}

const char *thread_stacks_file_of(const struct thread_stacks *stacks, uint32_t name, size_t *length)
{
    const struct name_file found = file_of(stacks, name);

    return found.file_and_1 != 0 ? unique_strings_get(&stacks->files, found.file_and_1 - 1, length)
                                 : NULL;
}

uint32_t thread_stacks_line_of(const struct thread_stacks *stacks, uint32_t name)
{
    return file_of(stacks, name).line;
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
