#include "profctl/processed/shared_tables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/processed/shared_rows.h"

static void list_tables(struct shared_tables *tables, struct unique_strings *out[8])
{
    struct unique_strings *all[] = { &tables->strings, &tables->libraries, &tables->resources,
                                     &tables->sources, &tables->functions, &tables->symbols,
                                     &tables->frames,  &tables->stacks };

    memcpy(out, all, sizeof(all));
}

void shared_tables_init(struct shared_tables *tables)
{
    struct unique_strings *all[8];

    failure_latch_init(&tables->latch);
    list_tables(tables, all);
    for (size_t i = 0; i < 8; i++)
        unique_strings_init(all[i], &tables->latch);
}

void shared_tables_fini(struct shared_tables *tables)
{
    struct unique_strings *all[8];

    list_tables(tables, all);
    for (size_t i = 0; i < 8; i++)
        unique_strings_fini(all[i]);
}

int shared_tables_error(const struct shared_tables *tables)
{
    return failure_latch_error(&tables->latch);
}

/* --- Rows --- */

static uint32_t add_row(struct unique_strings *table, const void *row, size_t bytes)
{
    return unique_strings_add(table, row, bytes);
}

uint32_t shared_tables_string(struct shared_tables *tables, const char *text, size_t length)
{
    return unique_strings_add(&tables->strings, text, length);
}

uint32_t shared_tables_library(struct shared_tables *tables, const struct process_library *library)
{
    static const char unknown[] = "000000000000000000000000000000000"; /* a GUID and an age */
    const char *debug_id = library->debug_id != NULL ? library->debug_id : unknown;
    char *key;
    int length = asprintf(&key, "%s%c%s%c%s%c%s%c", library->name, '\0', library->path, '\0',
                          library->build_id, '\0', debug_id, '\0');

    if (length < 0) {
        failure_latch_set(&tables->latch, -ENOMEM);
        return UNIQUE_NONE;
    }
    uint32_t row = unique_strings_add(&tables->libraries, key, (size_t)length);
    free(key);
    return row;
}

uint32_t shared_tables_source(struct shared_tables *tables, const char *file, size_t length)
{
    const struct shared_source source = { shared_tables_string(tables, file, length) };

    return add_row(&tables->sources, &source, sizeof(source));
}

static uint32_t resource_of(struct shared_tables *tables, const char *name, size_t length,
                            enum shared_resource_kind kind)
{
    const struct shared_resource resource = { shared_tables_string(tables, name, length), kind };

    return add_row(&tables->resources, &resource, sizeof(resource));
}

/* The viewer's name for code of a script outside all functions. */
static uint32_t name_of_root_scope(struct shared_tables *tables, const struct function_name *name)
{
    char *text;
    int length = asprintf(&text, "(root scope) %.*s", (int)name->file_length, name->file);

    if (length < 0) {
        failure_latch_set(&tables->latch, -ENOMEM);
        return UNIQUE_NONE;
    }
    uint32_t string = shared_tables_string(tables, text, (size_t)length);
    free(text);
    return string;
}

static void describe_script(struct shared_tables *tables, const struct function_name *name,
                            struct shared_function *function)
{
    function->flags = FUNCTION_IS_SCRIPT | FUNCTION_HAS_RESOURCE | FUNCTION_HAS_SOURCE |
                      FUNCTION_HAS_LINE | (name->column != 0 ? FUNCTION_HAS_COLUMN : 0);
    if (name->function_length == 0)
        function->name = name_of_root_scope(tables, name);
    function->resource = resource_of(tables, name->file, name->file_length, RESOURCE_FILE);
    function->source = shared_tables_source(tables, name->file, name->file_length);
    function->line = name->line;
    function->column = name->column;
}

uint32_t shared_tables_function(struct shared_tables *tables, const struct function_name *name,
                                uint32_t source)
{
    struct shared_function function = {
        .name = shared_tables_string(tables, name->function, name->function_length),
    };

    if (name->library != NULL) {
        function.flags = FUNCTION_HAS_RESOURCE;
        function.resource =
            resource_of(tables, name->library, name->library_length, RESOURCE_LIBRARY);
    }
    if (name->file != NULL) {
        describe_script(tables, name, &function);
    } else if (source != UNIQUE_NONE) {
        function.flags |= FUNCTION_HAS_SOURCE;
        function.source = source;
    }
    return add_row(&tables->functions, &function, sizeof(function));
}

uint32_t shared_tables_symbol(struct shared_tables *tables, const struct shared_symbol *symbol)
{
    return add_row(&tables->symbols, symbol, sizeof(*symbol));
}

uint32_t shared_tables_frame(struct shared_tables *tables, const struct shared_frame *frame)
{
    return add_row(&tables->frames, frame, sizeof(*frame));
}

uint32_t shared_tables_stack(struct shared_tables *tables, uint32_t prefix, uint32_t frame)
{
    const struct shared_stack stack = { .frame = frame, .prefix = prefix };

    return add_row(&tables->stacks, &stack, sizeof(stack));
}
