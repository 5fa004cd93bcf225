#include "profctl/marker_payload.h"

#include <errno.h>

#include "profctl/json_copy.h"
#include "json/hash.h"

/* --- Schemas: which fields are indexed --- */

static int error_of(int token)
{
    return token < 0 ? token : -EPROTO;
}

/* Reads the value of a key, a string, and copies it. */
static int copy_string(struct json_reader *reader, struct json_writer *writer, uint64_t *hash)
{
    const char *text;
    size_t length;
    int token = json_reader_next(reader);

    if (token != JSON_TOKEN_STRING)
        return json_copy_from(reader, token, writer);
    int err = json_reader_string(reader, &text, &length);
    if (err < 0)
        return err;
    *hash = hash_bytes(text, length);
    json_string_bytes(writer, text, length);
    return 0;
}

static int copy_format(struct json_reader *reader, struct json_writer *writer, bool *is_indexed)
{
    int token = json_reader_next(reader);

    if (token == JSON_TOKEN_STRING)
        *is_indexed = json_reader_is(reader, "unique-string") ||
                      json_reader_is(reader, "flow-id") ||
                      json_reader_is(reader, "terminating-flow-id");
    return json_copy_from(reader, token, writer);
}

static int note(struct indexed_fields *fields, uint64_t hash)
{
    uint64_t *added = mapped_array_push(&fields->hashes, sizeof(*added));

    if (added == NULL)
        return -ENOMEM;
    *added = hash;
    return 0;
}

/* A field, of which the start was read. */
static int copy_field(struct indexed_fields *fields, uint64_t type, struct json_reader *reader,
                      struct json_writer *writer)
{
    uint64_t key = 0;
    bool is_indexed = false;
    int token, err = 0;

    json_start_object(writer);
    while (err == 0 && (token = json_reader_next(reader)) == JSON_TOKEN_KEY) {
        bool is_key = json_reader_is(reader, "key"), is_format = json_reader_is(reader, "format");

        err = json_copy_token(reader, token, writer);
        if (err == 0 && is_key)
            err = copy_string(reader, writer, &key);
        else if (err == 0 && is_format)
            err = copy_format(reader, writer, &is_indexed);
        else if (err == 0)
            err = json_copy_value(reader, writer);
    }
    if (err < 0 || token != JSON_TOKEN_END_OBJECT)
        return err < 0 ? err : error_of(token);
    json_end_object(writer);
    return is_indexed ? note(fields, hash_mix(type, key)) : 0;
}

/* The array that comes next, of things with fields: COPY is called behind the start of each. */
static int copy_fields(struct indexed_fields *fields, uint64_t type, struct json_reader *reader,
                       struct json_writer *writer)
{
    int token = json_reader_next(reader), err = 0;

    if (token != JSON_TOKEN_START_ARRAY)
        return error_of(token);
    json_start_array(writer);
    while (err == 0 && (token = json_reader_next(reader)) == JSON_TOKEN_START_OBJECT)
        err = copy_field(fields, type, reader, writer);
    if (err < 0 || token != JSON_TOKEN_END_ARRAY)
        return err < 0 ? err : error_of(token);
    json_end_array(writer);
    return 0;
}

/* A schema, of which the start was read; its name stands before its fields. */
static int copy_schema(struct indexed_fields *fields, struct json_reader *reader,
                       struct json_writer *writer)
{
    uint64_t type = 0;
    int token, err = 0;

    json_start_object(writer);
    while (err == 0 && (token = json_reader_next(reader)) == JSON_TOKEN_KEY) {
        bool is_name = json_reader_is(reader, "name"), is_data = json_reader_is(reader, "data");

        err = json_copy_token(reader, token, writer);
        if (err == 0 && is_name)
            err = copy_string(reader, writer, &type);
        else if (err == 0 && is_data)
            err = copy_fields(fields, type, reader, writer);
        else if (err == 0)
            err = json_copy_value(reader, writer);
    }
    if (err < 0 || token != JSON_TOKEN_END_OBJECT)
        return err < 0 ? err : error_of(token);
    json_end_object(writer);
    return 0;
}

int indexed_fields_copy(struct indexed_fields *fields, struct json_reader *reader,
                        struct json_writer *writer)
{
    int token = json_reader_next(reader), err = 0;

    fields->hashes.count = 0;
    if (token != JSON_TOKEN_START_ARRAY)
        return error_of(token);
    json_start_array(writer);
    while (err == 0 && (token = json_reader_next(reader)) == JSON_TOKEN_START_OBJECT)
        err = copy_schema(fields, reader, writer);
    if (err < 0 || token != JSON_TOKEN_END_ARRAY)
        return err < 0 ? err : error_of(token);
    json_end_array(writer);
    return 0;
}

void indexed_fields_free(struct indexed_fields *fields)
{
    mapped_array_free(&fields->hashes);
}

/* --- Payloads --- */

static bool is_indexed(const struct indexed_fields *fields, uint64_t type, uint64_t key)
{
    const uint64_t *hashes = fields->hashes.items;
    uint64_t hash = hash_mix(type, key);

    for (size_t i = 0; i < fields->hashes.count; i++)
        if (hashes[i] == hash)
            return true;
    return false;
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
static int copy_stack_rows(const struct symbolicated_thread *renamed, struct json_reader *reader,
                           struct json_writer *writer)
{
    int token = json_reader_next(reader), err = 0;

    if (token != JSON_TOKEN_START_ARRAY)
        return error_of(token);
    json_start_array(writer);
    while (err == 0 && (token = json_reader_next(reader)) == JSON_TOKEN_START_ARRAY) {
        json_start_array(writer);
        err = copy_number(&renamed->stack_map, reader, writer);
        while (err == 0 && (token = json_reader_next(reader)) != JSON_TOKEN_END_ARRAY)
            err = json_copy_from(reader, token, writer);
        json_end_array(writer);
    }
    if (err < 0 || token != JSON_TOKEN_END_ARRAY)
        return err < 0 ? err : error_of(token);
    json_end_array(writer);
    return 0;
}

typedef int copy_member(const struct symbolicated_thread *renamed, struct json_reader *reader,
                        struct json_writer *writer);

/* The object that comes next, with COPY for the member NAME. */
static int copy_object(const struct symbolicated_thread *renamed, struct json_reader *reader,
                       struct json_writer *writer, const char *name, copy_member *copy)
{
    int token = json_reader_next(reader), err = 0;

    if (token != JSON_TOKEN_START_OBJECT)
        return json_copy_from(reader, token, writer);
    json_start_object(writer);
    while (err == 0 && (token = json_reader_next(reader)) == JSON_TOKEN_KEY) {
        bool is_named = json_reader_is(reader, name);

        err = json_copy_token(reader, token, writer);
        if (err == 0)
            err = is_named ? copy(renamed, reader, writer) : json_copy_value(reader, writer);
    }
    if (err < 0 || token != JSON_TOKEN_END_OBJECT)
        return err < 0 ? err : error_of(token);
    json_end_object(writer);
    return 0;
}

static int copy_stack_samples(const struct symbolicated_thread *renamed, struct json_reader *reader,
                              struct json_writer *writer)
{
    return copy_object(renamed, reader, writer, "data", copy_stack_rows);
}

static int copy_stack(const struct symbolicated_thread *renamed, struct json_reader *reader,
                      struct json_writer *writer)
{
    return copy_object(renamed, reader, writer, "samples", copy_stack_samples);
}

int marker_payload_copy(const struct indexed_fields *fields,
                        const struct symbolicated_thread *renamed, struct json_reader *reader,
                        struct json_writer *writer)
{
    uint64_t type = 0;
    int token, err = 0;

    json_start_object(writer);
    while (err == 0 && (token = json_reader_next(reader)) == JSON_TOKEN_KEY) {
        const char *text;
        size_t length;
        bool is_type = json_reader_is(reader, "type"), is_stack = json_reader_is(reader, "stack");

        err = json_reader_string(reader, &text, &length);
        if (err < 0)
            return err;
        uint64_t key = hash_bytes(text, length);
        err = json_copy_token(reader, token, writer);
        if (err < 0)
            return err;
        if (is_type)
            err = copy_string(reader, writer, &type);
        else if (is_stack)
            err = copy_stack(renamed, reader, writer);
        else if (is_indexed(fields, type, key))
            err = copy_number(&renamed->string_map, reader, writer);
        else
            err = json_copy_value(reader, writer);
    }
    if (err < 0 || token != JSON_TOKEN_END_OBJECT)
        return err < 0 ? err : error_of(token);
    json_end_object(writer);
    return 0;
}
