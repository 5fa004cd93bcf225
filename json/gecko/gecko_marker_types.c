#include "json/gecko/gecko_marker_types.h"

#include <errno.h>
#include <string.h>

#include "json/gecko/arena_text.h"
#include "json/gecko/gecko_meta.h"
#include "json/gecko/marker_label.h"
#include "json/json_format.h"

enum {
    /* A program has some dozens; a damaged arena has no end of them. */
    MAX_TYPES = 1024,
    NAME_MAX_BYTES = 256,
    ORDINAL_MAX_BYTES = 32,
};

static const char *const place_names[] = {
#define X(name, bit, text) text,
    MARKER_PLACES(X)
#undef X
};

/* Finds the name that the last of the types gets. */
static void resolve_name(struct marker_types *types, struct marker_type *added)
{
    const struct marker_type *earlier = types->types.items;
    added->ordinal =
        gecko_has_marker_type(added->schema.name.bytes, added->schema.name.length) ? 2 : 1;
    for (; earlier < added; earlier++) {
        if (arena_string_equals(earlier->bytes, added->bytes)) {
            added->ordinal = earlier->ordinal;
            added->is_declared_by_other = true;
            return;
        }
        if (!earlier->is_declared_by_other &&
            arena_string_equals(earlier->schema.name, added->schema.name))
            added->ordinal++;
    }
    types->renamed += added->ordinal > 1;
}

int marker_types_add(struct marker_types *types, uint32_t id, struct arena_string bytes)
{
    struct marker_schema schema;
    int error = marker_schema_decode(bytes, &schema);
    if (error < 0 || id != types->types.count + 1 || id > MAX_TYPES)
        return -EPROTO;
    struct marker_type *added = mapped_array_push(&types->types, sizeof(*added));
    if (added == NULL)
        return -ENOMEM;
    *added = (struct marker_type){ .schema = schema, .bytes = bytes };
    if (added->schema.name.length > NAME_MAX_BYTES)
        added->schema.name.length = NAME_MAX_BYTES;
    resolve_name(types, added);
    return 0;
}

const struct marker_type *marker_types_find(const struct marker_types *types, uint32_t id)
{
    if (id == 0 || id > types->types.count)
        return NULL;
    return (const struct marker_type *)types->types.items + id - 1;
}

void marker_type_stream_name(const struct marker_type *type, struct json_writer *writer)
{
    char name[NAME_MAX_BYTES + ORDINAL_MAX_BYTES];
    char *end = mempcpy(name, type->schema.name.bytes, type->schema.name.length);
    if (type->ordinal > 1) {
        end = json_format_u64(stpcpy(end, " ("), type->ordinal);
        *end++ = ')';
    }
    json_string_bytes(writer, name, (size_t)(end - name));
}

static void stream_string(struct json_writer *writer, const char *name, struct arena_string text)
{
    json_name(writer, name);
    json_string_bytes(writer, text.bytes, text.length);
}

/* Viewers refuse a label that names a field which is not there. */
static void stream_label(struct json_writer *writer, const char *name, struct arena_string label,
                         const struct marker_schema *schema)
{
    if (label.length > 0 && marker_label_is_valid(label, schema))
        stream_string(writer, name, label);
}

static void stream_display(struct json_writer *writer, uint32_t places)
{
    json_start_array_property(writer, "display");
    for (size_t i = 0; i < sizeof(place_names) / sizeof(place_names[0]); i++)
        if (places & (1u << i))
            json_string(writer, place_names[i]);
    json_end_array(writer);
}

static void stream_field(struct json_writer *writer, const struct marker_field *field)
{
    json_start_object(writer);
    stream_string(writer, "key", field->key);
    if (field->label.length > 0)
        stream_string(writer, "label", field->label);
    json_string_property(writer, "format", marker_format_name(field->format));
    if (field->flags & MARKER_FIELD_SEARCHABLE)
        json_bool_property(writer, "searchable", true);
    if (field->flags & MARKER_FIELD_HIDDEN)
        json_bool_property(writer, "hidden", true);
    json_end_object(writer);
}

static void stream_type(const struct marker_type *type, struct json_writer *writer)
{
    const struct marker_schema *schema = &type->schema;
    json_start_object(writer);
    json_name(writer, "name");
    marker_type_stream_name(type, writer);
    stream_display(writer, schema->places);
    stream_label(writer, "tooltipLabel", schema->tooltip_label, schema);
    stream_label(writer, "tableLabel", schema->table_label, schema);
    stream_label(writer, "chartLabel", schema->chart_label, schema);
    if (schema->colour_field.length > 0 && marker_colour_is_valid(schema->colour_field, schema))
        stream_string(writer, "colorField", schema->colour_field);
    if (schema->is_stack_based)
        json_bool_property(writer, "isStackBased", true);
    if (schema->is_task)
        json_bool_property(writer, "isTask", true);
    json_start_array_property(writer, "data");
    for (uint32_t i = 0; i < schema->field_count; i++)
        stream_field(writer, &schema->fields[i]);
    json_end_array(writer);
    json_end_object(writer);
}

void marker_types_stream(const struct marker_types *types, struct json_writer *writer)
{
    const struct marker_type *all = types->types.items;
    for (size_t i = 0; i < types->types.count; i++)
        if (!all[i].is_declared_by_other)
            stream_type(&all[i], writer);
}

void marker_types_free(struct marker_types *types)
{
    mapped_array_free(&types->types);
}
