#include "profctl/export/stack_columns.h"

#include <errno.h>
#include <string.h>

#include "profctl/profile/frame_name.h"
#include "profctl/profile/function_name.h"

int stack_columns_begin(struct stack_columns *stacks, const struct profile_thread *thread)
{
    size_t count = thread->tables->stacks.count + 1;
    int error = mapped_array_reserve(&stacks->numbers, count, sizeof(uint32_t));

    if (error < 0)
        return error;
    memset(stacks->numbers.items, 0, count * sizeof(uint32_t));
    stacks->thread = thread;
    return 0;
}

void stack_columns_free(struct stack_columns *stacks)
{
    mapped_array_free(&stacks->numbers);
    mapped_array_free(&stacks->path);
    mapped_array_free(&stacks->modules);
    row_writer_free(&stacks->columns);
}

/* The path's frames, the innermost first. */
static int unroll_path(struct stack_columns *stacks, uint32_t stack)
{
    stacks->path.count = 0;
    for (; stack != TABLE_NONE;
         stack = thread_tables_stack(stacks->thread->tables, stack)->prefix) {
        uint32_t *place = mapped_array_push(&stacks->path, sizeof(*place));
        if (place == NULL)
            return -ENOMEM;
        *place = thread_tables_stack(stacks->thread->tables, stack)->frame;
    }
    return 0;
}

/* Notes the library that NAME tells of, once. */
static int note_module(struct stack_columns *stacks, const char *name, size_t length)
{
    const struct mapped_array *libraries = &stacks->thread->libraries->libraries;
    const struct process_library *library = libraries->items;
    uint32_t *modules = stacks->modules.items, number = 0;
    struct function_name parts;

    function_name_parse(name, length, &parts);
    if (parts.library == NULL)
        return 0;
    while (number < libraries->count &&
           (strlen(library[number].name) != parts.library_length ||
            memcmp(library[number].name, parts.library, parts.library_length) != 0))
        number++;
    for (size_t i = 0; i < stacks->modules.count; i++)
        if (modules[i] == number)
            return 0;
    uint32_t *place =
        number < libraries->count ? mapped_array_push(&stacks->modules, sizeof(*place)) : NULL;
    if (place != NULL)
        *place = number;
    return place != NULL || number == libraries->count ? 0 : -ENOMEM;
}

/* NAME is that of the frame ROW. */
static int note_file(const struct thread_tables *tables, const struct table_frame *row,
                     const char *name, size_t length, struct frame_files *files)
{
    size_t file_length;

    if (!files->are_wanted || row->file == TABLE_NONE)
        return 0;
    const char *file = thread_tables_string(tables, row->file, &file_length);
    return frame_files_note(files, name, length, file, file_length);
}

static int write_frame(struct stack_columns *stacks, uint32_t frame, struct frame_files *files)
{
    const struct thread_tables *tables = stacks->thread->tables;
    const struct table_frame *row = thread_tables_frame(tables, frame);
    char buffer[FRAME_NAME_BYTES];
    size_t length;
    const char *name =
        frame_name(tables, stacks->thread->libraries, row->location, buffer, &length);

    row_write_string(&stacks->columns, name, length);
    int error = note_module(stacks, name, length);
    return error < 0 ? error : note_file(tables, row, name, length, files);
}

static const char *text_of(const char *text)
{
    return text != NULL ? text : "";
}

static void write_modules(struct stack_columns *stacks)
{
    const struct process_library *libraries = stacks->thread->libraries->libraries.items;
    const uint32_t *modules = stacks->modules.items;

    row_write_length(&stacks->columns, stacks->modules.count);
    for (size_t i = 0; i < stacks->modules.count; i++) {
        const char *name = text_of(libraries[modules[i]].name);
        row_write_string(&stacks->columns, name, strlen(name));
    }
    row_write_length(&stacks->columns, stacks->modules.count);
    for (size_t i = 0; i < stacks->modules.count; i++) {
        const char *build_id = text_of(libraries[modules[i]].build_id);
        row_write_string(&stacks->columns, build_id, strlen(build_id));
    }
}

static int write_stack(struct stack_columns *stacks, uint32_t stack, struct frame_files *files)
{
    int error = unroll_path(stacks, stack);
    const uint32_t *path = stacks->path.items;

    row_writer_clear(&stacks->columns);
    stacks->modules.count = 0;
    row_write_length(&stacks->columns, stacks->path.count);
    for (size_t i = stacks->path.count; i-- > 0 && error == 0;)
        error = write_frame(stacks, path[i], files);
    write_modules(stacks);
    return error < 0 ? error : stacks->columns.error;
}

uint32_t stack_columns_number(struct stack_columns *stacks, uint32_t stack,
                              struct export_rows *rows)
{
    uint32_t *numbers = stacks->numbers.items;
    size_t place = stack != TABLE_NONE ? (size_t)stack : stacks->thread->tables->stacks.count;

    if (numbers[place] != 0)
        return numbers[place] - 1;
    if (write_stack(stacks, stack, &rows->files) < 0)
        return UNIQUE_NONE;
    uint32_t number = export_rows_stack(rows, &stacks->columns);
    if (number != UNIQUE_NONE)
        numbers[place] = number + 1;
    return number;
}

uint32_t stack_columns_no_frames(struct stack_columns *stacks, struct export_rows *rows)
{
    enum { COLUMNS = 3 };

    row_writer_clear(&stacks->columns);
    for (int i = 0; i < COLUMNS; i++)
        row_write_length(&stacks->columns, 0);
    return export_rows_stack(rows, &stacks->columns);
}
