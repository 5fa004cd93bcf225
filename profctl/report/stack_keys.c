#include "profctl/report/stack_keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/profile/function_name.h"

const char stack_keys_no_label[] = "(in no label)";

static bool begins_with(const char *name, size_t length, const char *start)
{
    return length >= strlen(start) && memcmp(name, start, strlen(start)) == 0;
}

bool stack_keys_is_label(const char *name, size_t length)
{
    struct function_name parts;

    function_name_parse(name, length, &parts);
    return parts.library == NULL && parts.file == NULL && !begins_with(name, length, "0x") &&
           !begins_with(name, length, "unmapped 0x");
}

/* NAME, with the line of FRAME behind it, and the file where NAME does not tell it. UNIQUE_NONE
 * without memory. */
static uint32_t add_line(struct unique_strings *names, const char *name, size_t length,
                         const struct thread_tables *tables, const struct table_frame *frame)
{
    const char *file = NULL;
    size_t file_length;
    char *text;
    int written;

    if (frame->line == 0)
        return unique_strings_add(names, name, length);
    if (frame->file != TABLE_NONE)
        file = thread_tables_string(tables, frame->file, &file_length);
    if (file != NULL)
        written = asprintf(&text, "%.*s at %.*s:%u", (int)length, name, (int)file_length, file,
                           frame->line);
    else
        written = asprintf(&text, "%.*s, line %u", (int)length, name, frame->line);
    if (written < 0)
        return UNIQUE_NONE;
    uint32_t key = unique_strings_add(names, text, (size_t)written);
    free(text);
    return key;
}

static int find_key(const struct thread_stacks *stacks, const struct profile_thread *thread,
                    enum report_by by, struct unique_strings *names, uint32_t stack, uint32_t *key)
{
    const struct table_stack *last = thread_tables_stack(thread->tables, stack);
    bool is_of_tree = last->id != 0; /* of a .cpuprofile, which has no labels */
    size_t length;
    const char *name =
        unique_strings_get(&stacks->names, thread_stacks_name(stacks, stack), &length);

    *key = UNIQUE_NONE;
    if (by == REPORT_BY_LABEL && (is_of_tree || !stack_keys_is_label(name, length)))
        return 0;
    *key = by == REPORT_BY_LINE ? add_line(names, name, length, thread->tables,
                                           thread_tables_frame(thread->tables, last->frame))
                                : unique_strings_add(names, name, length);
    return *key != UNIQUE_NONE ? 0 : -ENOMEM;
}

int stack_keys_find(const struct thread_stacks *stacks, const struct profile_thread *thread,
                    enum report_by by, struct unique_strings *names, struct mapped_array *keys)
{
    size_t count = thread->tables->stacks.count;
    int error = mapped_array_reserve(keys, count + 1, sizeof(uint32_t));
    uint32_t *all = keys->items;

    for (uint32_t i = 0; i < count && error == 0; i++)
        error = find_key(stacks, thread, by, names, i, &all[i]);
    return error;
}
