/* The shared tables as JSON: each a list of columns. */
#include <stddef.h>
#include <string.h>

#include "profctl/processed/shared_rows.h"
#include "profctl/processed/shared_tables.h"

/* --- Columns --- */

/* The field at OFFSET of row INDEX; rows have one size and stand one behind the other. */
static uint32_t field_of(const struct unique_strings *table, uint32_t index, size_t offset)
{
    size_t length;
    uint32_t field;

    memcpy(&field, unique_strings_get(table, index, &length) + offset, sizeof(field));
    return field;
}

static void put_numbers(const struct column_output *output, const char *name, enum slab_type type,
                        const struct unique_strings *table, size_t offset)
{
    column_start(output, name, type);
    for (uint32_t i = 0; i < unique_strings_count(table); i++)
        column_put(output, field_of(table, i, offset));
    column_end(output);
}

/* A column that is JSON in any case. */
static void put_column(struct json_writer *writer, const char *name,
                       const struct unique_strings *table, size_t offset)
{
    const struct column_output output = { .json = writer };

    put_numbers(&output, name, SLAB_JSON, table, offset);
}

/* A column of which nothing is known: VALUE in all rows, or null where it is negative. */
static void put_constant(struct json_writer *writer, const char *name,
                         const struct unique_strings *table, int value)
{
    json_start_array_property(writer, name);
    if (value < 0)
        json_nulls(writer, unique_strings_count(table));
    for (uint32_t i = 0; value >= 0 && i < unique_strings_count(table); i++)
        json_u64(writer, (uint64_t)value);
    json_end_array(writer);
}

enum { IS_NULL = -1 };

static void begin_table(struct json_writer *writer, const char *name,
                        const struct unique_strings *table)
{
    json_start_object_property(writer, name);
    json_u64_property(writer, "length", unique_strings_count(table));
}

/* --- Tables --- */

static void put_stacks(const struct unique_strings *stacks, const struct column_output *output)
{
    struct json_writer *writer = output->json;

    begin_table(writer, "stackTable", stacks);
    put_numbers(output, "frame", SLAB_INT32, stacks, offsetof(struct shared_stack, frame));
    column_start(output, "prefixOffset", SLAB_INT32);
    for (uint32_t i = 0; i < unique_strings_count(stacks); i++) {
        uint32_t prefix = field_of(stacks, i, offsetof(struct shared_stack, prefix));
        column_put(output, prefix != UNIQUE_NONE ? i - prefix : 0);
    }
    column_end(output);
    json_end_object(writer);
}

static void put_frames(const struct unique_strings *frames, const struct column_output *output)
{
    struct json_writer *writer = output->json;

    begin_table(writer, "frameTable", frames);
    put_numbers(output, "flags", SLAB_UINT8, frames, offsetof(struct shared_frame, flags));
    put_numbers(output, "address", SLAB_UINT32, frames, offsetof(struct shared_frame, address));
    put_column(writer, "category", frames, offsetof(struct shared_frame, category));
    put_column(writer, "subcategory", frames, offsetof(struct shared_frame, subcategory));
    put_numbers(output, "func", SLAB_INT32, frames, offsetof(struct shared_frame, function));
    put_numbers(output, "lib", SLAB_INT32, frames, offsetof(struct shared_frame, library));
    put_numbers(output, "nativeSymbol", SLAB_INT32, frames, offsetof(struct shared_frame, symbol));
    put_numbers(output, "line", SLAB_INT32, frames, offsetof(struct shared_frame, line));
    put_constant(writer, "column", frames, 0);
    put_constant(writer, "innerWindowID", frames, 0);
    put_constant(writer, "originalLocation", frames, 0);
    json_end_object(writer);
}

static void put_functions(const struct unique_strings *functions,
                          const struct column_output *output)
{
    struct json_writer *writer = output->json;

    begin_table(writer, "funcTable", functions);
    put_numbers(output, "flags", SLAB_UINT8, functions, offsetof(struct shared_function, flags));
    put_numbers(output, "name", SLAB_INT32, functions, offsetof(struct shared_function, name));
    put_numbers(output, "resource", SLAB_INT32, functions,
                offsetof(struct shared_function, resource));
    put_numbers(output, "source", SLAB_INT32, functions, offsetof(struct shared_function, source));
    put_numbers(output, "lineNumber", SLAB_INT32, functions,
                offsetof(struct shared_function, line));
    put_numbers(output, "columnNumber", SLAB_INT32, functions,
                offsetof(struct shared_function, column));
    put_constant(writer, "originalLocation", functions, 0);
    json_end_object(writer);
}

static void put_resources(const struct unique_strings *resources, struct json_writer *writer)
{
    begin_table(writer, "resourceTable", resources);
    put_column(writer, "name", resources, offsetof(struct shared_resource, name));
    put_column(writer, "type", resources, offsetof(struct shared_resource, kind));
    put_constant(writer, "host", resources, IS_NULL);
    json_end_object(writer);
}

static void put_sources(const struct unique_strings *sources, struct json_writer *writer)
{
    begin_table(writer, "sources", sources);
    put_constant(writer, "id", sources, IS_NULL);
    put_column(writer, "filename", sources, offsetof(struct shared_source, file));
    put_constant(writer, "startLine", sources, 1);
    put_constant(writer, "startColumn", sources, 1);
    put_constant(writer, "sourceMapURL", sources, IS_NULL);
    put_constant(writer, "content", sources, IS_NULL);
    json_end_object(writer);
}

static void put_symbols(const struct unique_strings *symbols, const struct column_output *output)
{
    struct json_writer *writer = output->json;

    begin_table(writer, "nativeSymbols", symbols);
    put_numbers(output, "libIndex", SLAB_INT32, symbols, offsetof(struct shared_symbol, library));
    put_numbers(output, "address", SLAB_UINT32, symbols, offsetof(struct shared_symbol, address));
    put_numbers(output, "name", SLAB_INT32, symbols, offsetof(struct shared_symbol, name));
    column_start(output, "functionSize", SLAB_INT32);
    for (uint32_t i = 0; i < unique_strings_count(symbols); i++) {
        uint32_t size = field_of(symbols, i, offsetof(struct shared_symbol, size));
        column_put(output, size != 0 ? (int64_t)size : -1);
    }
    column_end(output);
    json_end_object(writer);
}

/* What source maps would tell. */
static void put_no_source_locations(struct json_writer *writer)
{
    static const char *const columns[] = { "source", "line", "column" };

    json_start_object_property(writer, "sourceLocationTable");
    json_u64_property(writer, "length", 0);
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        json_start_array_property(writer, columns[i]);
        json_end_array(writer);
    }
    json_end_object(writer);
}

/* --- Libraries --- */

static void put_library(const struct unique_strings *libraries, uint32_t index,
                        struct json_writer *writer)
{
    size_t length;
    const char *name = unique_strings_get(libraries, index, &length);
    const char *path = name + strlen(name) + 1, *build_id = path + strlen(path) + 1;
    const char *debug_id = build_id + strlen(build_id) + 1;

    json_start_object(writer);
    json_string_property(writer, "arch", "x86_64");
    json_string_property(writer, "name", name);
    json_string_property(writer, "path", path);
    json_string_property(writer, "debugName", name);
    json_string_property(writer, "debugPath", path);
    json_string_property(writer, "breakpadId", debug_id);
    if (build_id[0] != '\0')
        json_string_property(writer, "codeId", build_id);
    else
        json_null_property(writer, "codeId");
    json_end_object(writer);
}

/* --- All --- */

void shared_tables_write_libraries(const struct shared_tables *tables, struct json_writer *writer)
{
    json_start_array_property(writer, "libs");
    for (uint32_t i = 0; i < unique_strings_count(&tables->libraries); i++)
        put_library(&tables->libraries, i, writer);
    json_end_array(writer);
}

void shared_tables_write(const struct shared_tables *tables, const struct column_output *output)
{
    struct json_writer *writer = output->json;

    json_start_object(writer);
    json_name(writer, "stringArray");
    unique_strings_stream(&tables->strings, writer);
    put_stacks(&tables->stacks, output);
    put_frames(&tables->frames, output);
    put_functions(&tables->functions, output);
    put_resources(&tables->resources, writer);
    put_sources(&tables->sources, writer);
    put_symbols(&tables->symbols, output);
    put_no_source_locations(writer);
    json_end_object(writer);
}
