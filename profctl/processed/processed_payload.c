#include "profctl/processed/processed_payload.h"

#include <errno.h>
#include <math.h>

#include "json/hash.h"
#include "profctl/json_copy.h"
#include "profctl/json_steps.h"
#include "profctl/processed/time_ns.h"
#include "profctl/tables/json_table.h"
#include "profctl/tables/json_text.h"

static const char allocation_type[] = "Native allocation";

/* --- Stacks --- */

/* A stack within a marker is a thread in small, with one sample. */
struct inner_stack {
    uint32_t stack; /* of the thread; TABLE_NONE: there is none */
    double time_ms; /* NAN: not told */
    double tid;
};

static int read_stack_samples(const struct payload_source *source, struct json_reader *reader,
                              struct inner_stack *stack)
{
    static const char *const columns[] = { "stack", "time" };
    struct json_cell cells[JSON_TABLE_MAX_COLUMNS];
    struct json_table table;
    int error = json_table_open(&table, columns, 2, reader);

    for (bool is_first = true; json_table_next(&table, reader, cells, &error); is_first = false) {
        if (!is_first)
            continue;
        error = json_cell_index_or_none(&cells[0], (uint32_t)source->thread->tables->stacks.count,
                                        &stack->stack);
        if (cells[1].token == JSON_TOKEN_NUMBER)
            stack->time_ms = cells[1].number;
    }
    return error;
}

/* The value of "stack", whose key was read. */
static int read_stack(const struct payload_source *source, struct json_reader *reader,
                      struct inner_stack *stack)
{
    int token = json_reader_next(reader), error = 0;

    *stack = (struct inner_stack){ TABLE_NONE, NAN, NAN };
    if (token != JSON_TOKEN_START_OBJECT)
        return token < 0 ? token : json_reader_skip(reader);
    while (json_next_member(reader, &error)) {
        if (json_reader_is(reader, "samples"))
            error = read_stack_samples(source, reader, stack);
        else if (json_reader_is(reader, "tid"))
            error = json_number_keep(reader, &stack->tid);
        else
            error = json_reader_skip(reader);
    }
    return error;
}

/* --- Allocations --- */

static int read_whole_number(struct json_reader *reader, int64_t *number)
{
    if (json_reader_next(reader) == JSON_TOKEN_NUMBER && json_reader_i64(reader, number) < 0)
        return -EPROTO;
    return json_reader_skip(reader);
}

static int read_allocation_member(const struct payload_source *source, struct json_reader *reader,
                                  struct payload_allocation *out)
{
    struct inner_stack stack;
    int64_t address = 0;
    int error;

    if (json_reader_is(reader, "size"))
        return read_whole_number(reader, &out->size);
    if (json_reader_is(reader, "threadId"))
        return read_whole_number(reader, &out->tid);
    if (json_reader_is(reader, "memoryAddress")) {
        error = read_whole_number(reader, &address);
        out->address = (uint64_t)address;
        return error;
    }
    if (!json_reader_is(reader, "stack"))
        return json_reader_skip(reader);
    error = read_stack(source, reader, &stack);
    if (error == 0 && stack.stack != TABLE_NONE)
        out->stack = thread_frames_stack(source->frames, stack.stack);
    return error;
}

int payload_find_type(const char *json, size_t length, uint64_t *type)
{
    struct json_reader *reader;
    int token, error = json_reader_open_memory(json, length, &reader);

    *type = 0;
    if (error < 0)
        return error;
    token = json_reader_next(reader);
    while (error == 0 && *type == 0 && (token = json_reader_next(reader)) == JSON_TOKEN_KEY) {
        const char *text;
        bool is_type = json_reader_is(reader, "type");
        token = is_type ? json_reader_next(reader) : token;
        if (is_type && token == JSON_TOKEN_STRING) {
            error = json_reader_string(reader, &text, &length);
            *type = error == 0 ? hash_bytes(text, length) : 0;
        } else {
            error = json_reader_skip(reader);
        }
    }
    json_reader_close(reader);
    return error < 0 ? error : token < 0 ? token : 0;
}

int payload_read_allocation(const struct payload_source *source, const char *json, size_t length,
                            struct payload_allocation *out)
{
    struct json_reader *reader;
    uint64_t type;
    int error = payload_find_type(json, length, &type);

    if (error < 0 || type != hash_bytes(allocation_type, sizeof(allocation_type) - 1))
        return error;
    *out = (struct payload_allocation){ .stack = UNIQUE_NONE };
    error = json_reader_open_memory(json, length, &reader);
    if (error < 0)
        return error;
    error = json_expect(reader, JSON_TOKEN_START_OBJECT);
    while (json_next_member(reader, &error))
        error = read_allocation_member(source, reader, out);
    json_reader_close(reader);
    return error < 0 ? error : 1;
}

/* --- All others --- */

static int write_cause(const struct payload_source *source, struct json_reader *reader,
                       struct json_writer *writer)
{
    struct inner_stack stack;
    int error = read_stack(source, reader, &stack);

    if (error < 0 || stack.stack == TABLE_NONE)
        return error;
    json_start_object_property(writer, "cause");
    if (stack.tid >= 0 && stack.tid < 9e15)
        json_u64_property(writer, "tid", (uint64_t)stack.tid);
    if (!isnan(stack.time_ms))
        json_time_ms_property(writer, "time",
                              time_ns_of_ms(stack.time_ms + source->thread->shift_ms));
    json_u64_property(writer, "stack", thread_frames_stack(source->frames, stack.stack));
    json_end_object(writer);
    return 0;
}

/* The number that comes next, of a string of the thread, as that of all; any other value stays. */
static int write_indexed(const struct payload_source *source, struct json_reader *reader,
                         struct json_writer *writer)
{
    uint64_t index;
    size_t length;
    int token = json_reader_next(reader);

    if (token != JSON_TOKEN_NUMBER)
        return json_copy_from(reader, token, writer);
    if (json_reader_u64(reader, &index) != 0 || index >= source->thread->tables->strings.count)
        return -EPROTO;
    const char *text = thread_tables_string(source->thread->tables, (uint32_t)index, &length);
    json_u64(writer, shared_tables_string(source->tables, text, length));
    return 0;
}

static int write_member(const struct payload_source *source, uint64_t type,
                        struct json_reader *reader, struct json_writer *writer)
{
    const char *text;
    size_t length;

    if (json_reader_is(reader, "stack"))
        return write_cause(source, reader, writer);
    int error = json_reader_string(reader, &text, &length);
    if (error < 0)
        return error;
    uint64_t key = hash_bytes(text, length);
    json_name_bytes(writer, text, length);
    return processed_types_is_indexed(source->types, type, key)
               ? write_indexed(source, reader, writer)
               : json_copy_value(reader, writer);
}

int payload_write(const struct payload_source *source, const char *json, size_t length,
                  struct json_writer *writer)
{
    struct json_reader *reader;
    uint64_t type;
    int error = payload_find_type(json, length, &type);

    if (error < 0)
        return error;
    error = json_reader_open_memory(json, length, &reader);
    if (error < 0)
        return error;
    error = json_expect(reader, JSON_TOKEN_START_OBJECT);
    json_start_object(writer);
    while (json_next_member(reader, &error))
        error = write_member(source, type, reader, writer);
    json_end_object(writer);
    json_reader_close(reader);
    return error;
}
