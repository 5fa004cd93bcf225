#include "profctl/tables/marker_payload.h"

#include <errno.h>
#include <stdbool.h>

#include "json/hash.h"
#include "json/unique_strings.h"
#include "profctl/json_copy.h"
#include "profctl/json_steps.h"

/* The value of "type": the name that the type has in the file. */
static int copy_type(const struct marker_schemas *schemas, struct json_reader *reader,
                     struct json_writer *writer, uint64_t *type)
{
    char name[MARKER_NAME_BYTES];
    const char *text;
    size_t length;
    int is_text = json_copy_unless_text(reader, writer, &text, &length);

    if (is_text <= 0)
        return is_text;
    length = marker_schemas_name(schemas, text, length, type, name);
    json_string_bytes(writer, name, length);
    return 0;
}

/* The new number for the one that comes next, of MAP; anything but a number stays as it is. */
static int copy_number(const struct mapped_array *map, struct json_reader *reader,
                       struct json_writer *writer)
{
    uint64_t old;
    int token = json_reader_next(reader);

    if (token != JSON_TOKEN_NUMBER)
        return json_copy_from(reader, token, writer);
    if (json_reader_u64(reader, &old) != 0 || old >= map->count)
        return -EPROTO;
    uint32_t number = ((const uint32_t *)map->items)[old];
    if (number == UNIQUE_NONE)
        json_null(writer); /* the address of a function, which has a name now */
    else
        json_u64(writer, number);
    return 0;
}

/* The rows of the stack's samples: the first cell of each is a stack. */
static int copy_stack_rows(const struct renumbered_tables *renumbered, struct json_reader *reader,
                           struct json_writer *writer)
{
    int token, error = json_expect(reader, JSON_TOKEN_START_ARRAY);

    json_start_array(writer);
    while (json_next_array(reader, &error)) {
        json_start_array(writer);
        error = copy_number(renumbered->stacks, reader, writer);
        while (error == 0 && (token = json_reader_next(reader)) != JSON_TOKEN_END_ARRAY)
            error = json_copy_from(reader, token, writer);
        json_end_array(writer);
    }
    json_end_array(writer);
    return error;
}

typedef int copy_member(const struct renumbered_tables *renumbered, struct json_reader *reader,
                        struct json_writer *writer);

/* The object that comes next, with COPY for the member NAME. */
static int copy_object(const struct renumbered_tables *renumbered, struct json_reader *reader,
                       struct json_writer *writer, const char *name, copy_member *copy)
{
    int token = json_reader_next(reader), error = 0;

    if (token != JSON_TOKEN_START_OBJECT)
        return json_copy_from(reader, token, writer);
    json_start_object(writer);
    while (json_next_member(reader, &error)) {
        bool is_named = json_reader_is(reader, name);

        error = json_copy_token(reader, JSON_TOKEN_KEY, writer);
        if (error == 0)
            error = is_named ? copy(renumbered, reader, writer) : json_copy_value(reader, writer);
    }
    json_end_object(writer);
    return error;
}

static int copy_stack_samples(const struct renumbered_tables *renumbered,
                              struct json_reader *reader, struct json_writer *writer)
{
    return copy_object(renumbered, reader, writer, "data", copy_stack_rows);
}

static int copy_stack(const struct renumbered_tables *renumbered, struct json_reader *reader,
                      struct json_writer *writer)
{
    return copy_object(renumbered, reader, writer, "samples", copy_stack_samples);
}

int marker_payload_copy(const struct marker_schemas *schemas,
                        const struct renumbered_tables *renumbered, struct json_reader *reader,
                        struct json_writer *writer)
{
    uint64_t type = 0;
    int error = 0;

    json_start_object(writer);
    while (json_next_member(reader, &error)) {
        const char *text;
        size_t length;
        bool is_type = json_reader_is(reader, "type"), is_stack = json_reader_is(reader, "stack");

        error = json_reader_string(reader, &text, &length);
        if (error < 0)
            return error;
        uint64_t key = hash_bytes(text, length);
        error = json_copy_token(reader, JSON_TOKEN_KEY, writer);
        if (error < 0)
            return error;
        if (is_type)
            error = copy_type(schemas, reader, writer, &type);
        else if (is_stack && renumbered != NULL)
            error = copy_stack(renumbered, reader, writer);
        else if (renumbered != NULL && marker_schemas_is_indexed(schemas, type, key))
            error = copy_number(renumbered->strings, reader, writer);
        else
            error = json_copy_value(reader, writer);
    }
    json_end_object(writer);
    return error;
}
