#include "profctl/processed/processed_types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "json/hash.h"
#include "json/json_reader.h"
#include "profctl/json_copy.h"
#include "profctl/json_steps.h"
#include "profctl/tables/json_text.h"

/* The schema at hand. */
struct schema {
    struct json_reader *reader;
    struct json_writer element;
    char *name, *description; /* owned; NULL: not known yet */
    struct mapped_array keys; /* uint64_t: hashes of the fields that hold numbers of strings */
    struct mapped_array flows, last_flows; /* likewise: of those that are flows */
    bool is_stack_based, is_task;
};

/* A field of it; all owned. NULL: not told. */
struct field {
    char *key, *label, *format;
    char *value; /* of one that is the same in all markers: the schema describes itself */
    bool is_hidden;
};

void processed_types_init(struct processed_types *types)
{
    *types = (struct processed_types){ 0 };
    failure_latch_init(&types->latch);
    unique_strings_init(&types->names, &types->latch);
    json_writer_init(&types->schemas, &types->latch);
}

void processed_types_free(struct processed_types *types)
{
    unique_strings_fini(&types->names);
    json_writer_fini(&types->schemas);
    mapped_array_free(&types->lists);
    mapped_array_free(&types->indexed);
    mapped_array_free(&types->flows);
    mapped_array_free(&types->last_flows);
    mapped_array_free(&types->stack_based);
    mapped_array_free(&types->tasks);
}

static bool has_hash(const struct mapped_array *hashes, uint64_t hash)
{
    const uint64_t *items = hashes->items;

    for (size_t i = 0; i < hashes->count; i++)
        if (items[i] == hash)
            return true;
    return false;
}

static int keep_hash(struct mapped_array *hashes, uint64_t hash)
{
    uint64_t *added = mapped_array_push(hashes, sizeof(*added));

    if (added == NULL)
        return -ENOMEM;
    *added = hash;
    return 0;
}

/* --- Fields --- */

static int read_field_member(struct field *field, struct json_reader *reader)
{
    if (json_reader_is(reader, "key"))
        return json_text_keep_if_string(reader, &field->key);
    if (json_reader_is(reader, "label"))
        return json_text_keep_if_string(reader, &field->label);
    if (json_reader_is(reader, "format"))
        return json_text_keep_if_string(reader, &field->format);
    if (json_reader_is(reader, "value"))
        return json_text_keep_if_string(reader, &field->value);
    if (!json_reader_is(reader, "hidden"))
        return json_reader_skip(reader);
    field->is_hidden = json_reader_next(reader) == JSON_TOKEN_TRUE;
    return json_reader_skip(reader);
}

static void write_field(const struct field *field, struct json_writer *writer)
{
    json_start_object(writer);
    json_string_property(writer, "key", field->key);
    if (field->label != NULL)
        json_string_property(writer, "label", field->label);
    json_string_property(writer, "format", field->format != NULL ? field->format : "string");
    if (field->is_hidden)
        json_bool_property(writer, "hidden", true);
    json_end_object(writer);
}

/* Of a field whose values are numbers of strings, or else nothing. */
static int keep_key(struct schema *schema, const char *key, const char *format)
{
    uint64_t hash = hash_bytes(key, strlen(key));
    bool is_flow = strcmp(format, "flow-id") == 0;
    bool is_last_flow = strcmp(format, "terminating-flow-id") == 0;

    if (!is_flow && !is_last_flow && strcmp(format, "unique-string") != 0)
        return 0;
    int error = keep_hash(&schema->keys, hash);
    if (error == 0 && is_flow)
        error = keep_hash(&schema->flows, hash);
    if (error == 0 && is_last_flow)
        error = keep_hash(&schema->last_flows, hash);
    return error;
}

/* One that is no field of markers describes their type: that called so, or the first. */
static int use_field(struct schema *schema, struct field *field)
{
    if (field->key != NULL) {
        write_field(field, &schema->element);
        return field->format != NULL ? keep_key(schema, field->key, field->format) : 0;
    }
    bool is_description = field->label != NULL && strcmp(field->label, "Description") == 0;
    if (schema->description != NULL && !is_description)
        return 0;
    free(schema->description);
    schema->description = field->value;
    field->value = NULL;
    return 0;
}

/* A field, of which the start was read. */
static int take_field(struct schema *schema)
{
    struct field field = { 0 };
    int error = 0;

    while (json_next_member(schema->reader, &error))
        error = read_field_member(&field, schema->reader);
    if (error == 0)
        error = use_field(schema, &field);
    free(field.key);
    free(field.label);
    free(field.format);
    free(field.value);
    return error;
}

static int take_fields(struct schema *schema)
{
    int error = json_expect(schema->reader, JSON_TOKEN_START_ARRAY);

    json_start_array_property(&schema->element, "fields");
    while (json_next_object(schema->reader, &error))
        error = take_field(schema);
    json_end_array(&schema->element);
    return error;
}

/* --- Schemas --- */

/* The value of "WHAT", whose key was read, which is kept as well. */
static int take_flag(struct schema *schema, const char *what, bool *flag)
{
    int token = json_reader_next(schema->reader);

    *flag = token == JSON_TOKEN_TRUE;
    json_name(&schema->element, what);
    return token < 0 ? token : json_copy_from(schema->reader, token, &schema->element);
}

static int take_member(struct schema *schema)
{
    if (json_reader_is(schema->reader, "isStackBased"))
        return take_flag(schema, "isStackBased", &schema->is_stack_based);
    if (json_reader_is(schema->reader, "isTask"))
        return take_flag(schema, "isTask", &schema->is_task);
    if (json_reader_is(schema->reader, "name"))
        return json_text_keep(schema->reader, &schema->name);
    if (json_reader_is(schema->reader, "description"))
        return json_text_keep(schema->reader, &schema->description);
    if (json_reader_is(schema->reader, "data") || json_reader_is(schema->reader, "fields"))
        return take_fields(schema);
    return json_copy_member(schema->reader, &schema->element);
}

/* Reads all of SCHEMA into its element. */
static int read_schema(struct schema *schema)
{
    int error = 0;

    json_start_object(&schema->element);
    while (json_next_member(schema->reader, &error))
        error = take_member(schema);
    if (error < 0 || schema->name == NULL)
        return error < 0 ? error : -EPROTO;
    json_string_property(&schema->element, "name", schema->name);
    if (schema->description != NULL)
        json_string_property(&schema->element, "description", schema->description);
    json_end_object(&schema->element);
    return 0;
}

static int keep_fields(struct mapped_array *kept, uint64_t type, const struct mapped_array *keys)
{
    const uint64_t *hashes = keys->items;
    int error = 0;

    for (size_t i = 0; error == 0 && i < keys->count; i++)
        error = keep_hash(kept, hash_mix(type, hashes[i]));
    return error;
}

/* Adds SCHEMA, when its name is new. */
static int keep_schema(struct processed_types *types, struct schema *schema)
{
    size_t length = strlen(schema->name);
    uint64_t type = hash_bytes(schema->name, length);
    uint32_t known = unique_strings_count(&types->names);

    if (unique_strings_add(&types->names, schema->name, length) < known)
        return 0;
    json_splice(&types->schemas, &schema->element);
    int error = keep_fields(&types->indexed, type, &schema->keys);
    if (error == 0)
        error = keep_fields(&types->flows, type, &schema->flows);
    if (error == 0)
        error = keep_fields(&types->last_flows, type, &schema->last_flows);
    if (error == 0 && schema->is_stack_based)
        error = keep_hash(&types->stack_based, type);
    if (error == 0 && schema->is_task)
        error = keep_hash(&types->tasks, type);
    return error < 0 ? error : failure_latch_error(&types->latch);
}

/* A schema, of which the start was read. */
static int take_schema(struct processed_types *types, struct json_reader *reader)
{
    struct schema schema = { .reader = reader };

    json_writer_init(&schema.element, &types->latch);
    int error = read_schema(&schema);
    if (error == 0)
        error = keep_schema(types, &schema);
    json_writer_fini(&schema.element);
    mapped_array_free(&schema.keys);
    mapped_array_free(&schema.flows);
    mapped_array_free(&schema.last_flows);
    free(schema.name);
    free(schema.description);
    return error;
}

static int take_list(struct processed_types *types, struct json_reader *reader)
{
    int error = json_expect(reader, JSON_TOKEN_START_ARRAY);

    while (json_next_object(reader, &error))
        error = take_schema(types, reader);
    return error;
}

/* Most processes have the same list. */
int processed_types_take(struct processed_types *types, const char *json, size_t length)
{
    struct json_reader *reader;
    uint64_t hash = hash_bytes(json, length);

    if (has_hash(&types->lists, hash))
        return 0;
    int error = json_reader_open_memory(json, length, &reader);
    if (error < 0)
        return error;
    error = take_list(types, reader);
    json_reader_close(reader);
    return error < 0 ? error : keep_hash(&types->lists, hash);
}

bool processed_types_is_indexed(const struct processed_types *types, uint64_t type, uint64_t key)
{
    return has_hash(&types->indexed, hash_mix(type, key));
}

enum marker_flow processed_types_flow(const struct processed_types *types, uint64_t type,
                                      uint64_t key)
{
    if (has_hash(&types->flows, hash_mix(type, key)))
        return MARKER_FLOW;
    return has_hash(&types->last_flows, hash_mix(type, key)) ? MARKER_FLOW_LAST : MARKER_FLOW_NONE;
}

bool processed_types_is_stack_based(const struct processed_types *types, uint64_t type)
{
    return has_hash(&types->stack_based, type);
}

bool processed_types_is_task(const struct processed_types *types, uint64_t type)
{
    return has_hash(&types->tasks, type);
}

bool processed_types_have_events(const struct processed_types *types)
{
    return types->stack_based.count > 0 || types->tasks.count > 0;
}

void processed_types_write(struct processed_types *types, struct json_writer *writer)
{
    json_start_array(writer);
    json_splice(writer, &types->schemas);
    json_end_array(writer);
}
