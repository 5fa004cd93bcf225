#include "profctl/tables/marker_schemas.h"

#include <errno.h>
#include <string.h>

#include "json/hash.h"
#include "json/json_format.h"
#include "profctl/json_copy.h"
#include "profctl/json_sinks.h"
#include "profctl/json_steps.h"

enum { NAME_MAX_BYTES = MARKER_NAME_BYTES / 2 };

/* A schema by the name that it has in the file. */
struct known_schema {
    uint64_t name, content; /* hashes */
};

/* A type of the process at hand that has another name in the file. */
struct renamed_type {
    uint64_t name;    /* hash */
    unsigned ordinal; /* "name (2)" */
};

/* --- Names --- */

/* NAME, or "NAME (ORDINAL)", into OUT, cut at NAME_MAX_BYTES. Returns its length. */
static size_t make_name(char *out, const char *name, size_t length, unsigned ordinal)
{
    if (length > NAME_MAX_BYTES)
        length = NAME_MAX_BYTES;
    char *end = mempcpy(out, name, length);
    if (ordinal > 1) {
        end = json_format_u64(stpcpy(end, " ("), ordinal);
        *end++ = ')';
    }
    return (size_t)(end - out);
}

static const struct known_schema *find_known_schema(const struct marker_schemas *schemas,
                                                    uint64_t name)
{
    const struct known_schema *known = schemas->known.items;

    for (size_t i = 0; i < schemas->known.count; i++)
        if (known[i].name == name)
            return &known[i];
    return NULL;
}

static unsigned ordinal_of(const struct marker_schemas *schemas, uint64_t name)
{
    const struct renamed_type *renamed = schemas->renamed.items;

    for (size_t i = 0; i < schemas->renamed.count; i++)
        if (renamed[i].name == name)
            return renamed[i].ordinal;
    return 1;
}

/* --- Schemas --- */

/* Reads the value of a key, a string, and copies it. */
static int copy_string(struct json_reader *reader, struct json_writer *writer, uint64_t *hash)
{
    const char *text;
    size_t length;
    int is_text = json_copy_unless_text(reader, writer, &text, &length);

    if (is_text <= 0)
        return is_text;
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

static int note_indexed(struct marker_schemas *schemas, uint64_t hash)
{
    uint64_t *added = mapped_array_push(&schemas->indexed, sizeof(*added));

    if (added == NULL)
        return -ENOMEM;
    *added = hash;
    return 0;
}

/* A field, of which the start was read. */
static int copy_field(struct marker_schemas *schemas, uint64_t type, struct json_reader *reader,
                      struct json_writer *writer)
{
    uint64_t key = 0;
    bool is_indexed = false;
    int error = 0;

    json_start_object(writer);
    while (json_next_member(reader, &error)) {
        bool is_key = json_reader_is(reader, "key"), is_format = json_reader_is(reader, "format");

        error = json_copy_token(reader, JSON_TOKEN_KEY, writer);
        if (error == 0 && is_key)
            error = copy_string(reader, writer, &key);
        else if (error == 0 && is_format)
            error = copy_format(reader, writer, &is_indexed);
        else if (error == 0)
            error = json_copy_value(reader, writer);
    }
    if (error < 0)
        return error;
    json_end_object(writer);
    return is_indexed ? note_indexed(schemas, hash_mix(type, key)) : 0;
}

/* The array that comes next, of things with fields: COPY is called behind the start of each. */
static int copy_fields(struct marker_schemas *schemas, uint64_t type, struct json_reader *reader,
                       struct json_writer *writer)
{
    int error = json_expect(reader, JSON_TOKEN_START_ARRAY);

    json_start_array(writer);
    while (json_next_object(reader, &error))
        error = copy_field(schemas, type, reader, writer);
    json_end_array(writer);
    return error;
}

/* What a schema says, apart from its name. */
struct schema_text {
    char name[NAME_MAX_BYTES];
    size_t name_length;
    struct mapped_array content; /* char: the other members */
};

static int read_name(struct schema_text *out, struct json_reader *reader)
{
    const char *text;
    size_t length;
    int token = json_reader_next(reader);
    int error = token == JSON_TOKEN_STRING ? json_reader_string(reader, &text, &length)
                                           : json_token_error(token);

    if (error == 0)
        out->name_length = make_name(out->name, text, length, 1);
    return error;
}

/* The members of a schema, of which the start was read; its name stands before its fields. */
static int read_members(struct marker_schemas *schemas, struct schema_text *out,
                        struct json_reader *reader, struct json_writer *content)
{
    int error = 0;

    while (json_next_member(reader, &error)) {
        bool is_data = json_reader_is(reader, "data");

        if (json_reader_is(reader, "name")) {
            error = read_name(out, reader);
            continue;
        }
        error = json_copy_token(reader, JSON_TOKEN_KEY, content);
        if (error == 0 && is_data)
            error = copy_fields(schemas, hash_bytes(out->name, out->name_length), reader, content);
        else if (error == 0)
            error = json_copy_value(reader, content);
    }
    return error;
}

static int read_schema(struct marker_schemas *schemas, struct schema_text *out,
                       struct json_reader *reader)
{
    struct failure_latch latch;
    struct json_writer content;

    failure_latch_init(&latch);
    json_writer_init(&content, &latch);
    int error = read_members(schemas, out, reader, &content);
    if (error == 0)
        error = failure_latch_error(&latch);
    if (error == 0)
        error = json_writer_copy_out(&content, json_sink_memory, &out->content);
    json_writer_fini(&content);
    return error;
}

/* Finds the name that the schema has in the file: its own, or one with a number. */
static int choose_ordinal(struct marker_schemas *schemas, const struct schema_text *text,
                          unsigned *ordinal, bool *is_new)
{
    char name[MARKER_NAME_BYTES];
    uint64_t content = hash_bytes(text->content.items, text->content.count);

    for (*ordinal = 1;; ++*ordinal) {
        size_t length = make_name(name, text->name, text->name_length, *ordinal);
        uint64_t hash = hash_bytes(name, length);
        const struct known_schema *known = find_known_schema(schemas, hash);
        *is_new = known == NULL;
        if (known != NULL && known->content == content)
            return 0;
        if (known != NULL)
            continue;
        struct known_schema *added = mapped_array_push(&schemas->known, sizeof(*added));
        if (added == NULL)
            return -ENOMEM;
        *added = (struct known_schema){ hash, content };
        return 0;
    }
}

static void write_schema(struct json_writer *writer, const struct schema_text *text,
                         unsigned ordinal)
{
    char name[MARKER_NAME_BYTES];
    size_t length = make_name(name, text->name, text->name_length, ordinal);

    json_start_object(writer);
    json_name(writer, "name");
    json_string_bytes(writer, name, length);
    if (text->content.count > 0)
        json_splice_bytes(writer, text->content.items, text->content.count);
    json_end_object(writer);
}

/* Adds the schema to those of the file. */
static int keep_schema(struct marker_schemas *schemas, const struct schema_text *text,
                       unsigned ordinal)
{
    struct failure_latch latch;
    struct json_writer element;

    failure_latch_init(&latch);
    json_writer_init(&element, &latch);
    write_schema(&element, text, ordinal);
    int error = failure_latch_error(&latch);
    if (error == 0 && schemas->all.count > 0)
        error = json_sink_memory(&schemas->all, ",", 1);
    if (error == 0)
        error = json_writer_copy_out(&element, json_sink_memory, &schemas->all);
    json_writer_fini(&element);
    return error;
}

static int note_renamed(struct marker_schemas *schemas, const struct schema_text *text,
                        unsigned ordinal)
{
    struct renamed_type *added = mapped_array_push(&schemas->renamed, sizeof(*added));

    if (added == NULL)
        return -ENOMEM;
    *added = (struct renamed_type){ hash_bytes(text->name, text->name_length), ordinal };
    return 0;
}

/* A schema, of which the start was read. WRITER NULL: only kept. */
static int take_schema(struct marker_schemas *schemas, struct json_reader *reader,
                       struct json_writer *writer)
{
    struct schema_text text = { .name_length = 0 };
    unsigned ordinal = 1;
    bool is_new = false;

    int error = read_schema(schemas, &text, reader);
    if (error == 0)
        error = choose_ordinal(schemas, &text, &ordinal, &is_new);
    if (error == 0 && is_new)
        error = keep_schema(schemas, &text, ordinal);
    if (error == 0 && ordinal > 1)
        error = note_renamed(schemas, &text, ordinal);
    if (error == 0 && writer != NULL)
        write_schema(writer, &text, ordinal);
    mapped_array_free(&text.content);
    return error;
}

static int take_list(struct marker_schemas *schemas, struct json_reader *reader,
                     struct json_writer *writer)
{
    int error = json_expect(reader, JSON_TOKEN_START_ARRAY);

    schemas->indexed.count = schemas->renamed.count = 0;
    while (json_next_object(reader, &error))
        error = take_schema(schemas, reader, writer);
    return error;
}

int marker_schemas_copy(struct marker_schemas *schemas, struct json_reader *reader,
                        struct json_writer *writer)
{
    json_start_array(writer);
    int error = take_list(schemas, reader, writer);
    json_end_array(writer);
    return error;
}

int marker_schemas_copy_root(struct marker_schemas *schemas, struct json_reader *reader,
                             struct json_writer *writer)
{
    int error = take_list(schemas, reader, NULL);

    json_start_array(writer);
    if (schemas->all.count > 0)
        json_splice_bytes(writer, schemas->all.items, schemas->all.count);
    json_end_array(writer);
    return error;
}

void marker_schemas_free(struct marker_schemas *schemas)
{
    mapped_array_free(&schemas->known);
    mapped_array_free(&schemas->all);
    mapped_array_free(&schemas->renamed);
    mapped_array_free(&schemas->indexed);
}

/* --- What payloads ask --- */

size_t marker_schemas_name(const struct marker_schemas *schemas, const char *type, size_t length,
                           uint64_t *hash, char out[MARKER_NAME_BYTES])
{
    if (length > NAME_MAX_BYTES)
        length = NAME_MAX_BYTES;
    *hash = hash_bytes(type, length);
    return make_name(out, type, length, ordinal_of(schemas, *hash));
}

bool marker_schemas_is_indexed(const struct marker_schemas *schemas, uint64_t type, uint64_t key)
{
    const uint64_t *hashes = schemas->indexed.items;
    uint64_t hash = hash_mix(type, key);

    for (size_t i = 0; i < schemas->indexed.count; i++)
        if (hashes[i] == hash)
            return true;
    return false;
}
