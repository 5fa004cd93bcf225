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

static void put_column(struct json_writer *writer, const char *name,
                       const struct unique_strings *table, size_t offset)
{
    json_start_array_property(writer, name);
    for (uint32_t i = 0; i < unique_strings_count(table); i++)
        json_u64(writer, field_of(table, i, offset));
    json_end_array(writer);
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

static void put_stacks(const struct unique_strings *stacks, struct json_writer *writer)
{
    begin_table(writer, "stackTable", stacks);
    put_column(writer, "frame", stacks, offsetof(struct shared_stack, frame));
    json_start_array_property(writer, "prefixOffset");
    for (uint32_t i = 0; i < unique_strings_count(stacks); i++) {
        uint32_t prefix = field_of(stacks, i, offsetof(struct shared_stack, prefix));
        json_u64(writer, prefix != UNIQUE_NONE ? i - prefix : 0);
    }
    json_end_array(writer);
    json_end_object(writer);
}

static void put_frames(const struct unique_strings *frames, struct json_writer *writer)
{
    begin_table(writer, "frameTable", frames);
    put_column(writer, "flags", frames, offsetof(struct shared_frame, flags));
    put_column(writer, "address", frames, offsetof(struct shared_frame, address));
    put_column(writer, "category", frames, offsetof(struct shared_frame, category));
    put_column(writer, "subcategory", frames, offsetof(struct shared_frame, subcategory));
    put_column(writer, "func", frames, offsetof(struct shared_frame, function));
    put_column(writer, "lib", frames, offsetof(struct shared_frame, library));
    put_column(writer, "nativeSymbol", frames, offsetof(struct shared_frame, symbol));
    put_column(writer, "line", frames, offsetof(struct shared_frame, line));
    put_constant(writer, "column", frames, 0);
    put_constant(writer, "innerWindowID", frames, 0);
    put_constant(writer, "originalLocation", frames, 0);
    json_end_object(writer);
}

static void put_functions(const struct unique_strings *functions, struct json_writer *writer)
{
    begin_table(writer, "funcTable", functions);
    put_column(writer, "flags", functions, offsetof(struct shared_function, flags));
    put_column(writer, "name", functions, offsetof(struct shared_function, name));
    put_column(writer, "resource", functions, offsetof(struct shared_function, resource));
    put_column(writer, "source", functions, offsetof(struct shared_function, source));
    put_column(writer, "lineNumber", functions, offsetof(struct shared_function, line));
    put_column(writer, "columnNumber", functions, offsetof(struct shared_function, column));
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

static void put_symbols(const struct unique_strings *symbols, struct json_writer *writer)
{
    begin_table(writer, "nativeSymbols", symbols);
    put_column(writer, "libIndex", symbols, offsetof(struct shared_symbol, library));
    put_column(writer, "address", symbols, offsetof(struct shared_symbol, address));
    put_column(writer, "name", symbols, offsetof(struct shared_symbol, name));
    json_start_array_property(writer, "functionSize");
    for (uint32_t i = 0; i < unique_strings_count(symbols); i++) {
        uint32_t size = field_of(symbols, i, offsetof(struct shared_symbol, size));
        json_i64(writer, size != 0 ? (int64_t)size : -1);
    }
    json_end_array(writer);
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

void shared_tables_write(const struct shared_tables *tables, struct json_writer *writer)
{
    json_start_array_property(writer, "libs");
    for (uint32_t i = 0; i < unique_strings_count(&tables->libraries); i++)
        put_library(&tables->libraries, i, writer);
    json_end_array(writer);
    json_start_object_property(writer, "shared");
    json_name(writer, "stringArray");
    unique_strings_stream(&tables->strings, writer);
    put_stacks(&tables->stacks, writer);
    put_frames(&tables->frames, writer);
    put_functions(&tables->functions, writer);
    put_resources(&tables->resources, writer);
    put_sources(&tables->sources, writer);
    put_symbols(&tables->symbols, writer);
    put_no_source_locations(writer);
    json_end_object(writer);
}
