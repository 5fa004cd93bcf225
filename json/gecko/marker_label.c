#include "json/gecko/marker_label.h"

#include <string.h>

#include "json/gecko/arena_text.h"

static bool take_prefix(struct arena_string *text, const char *prefix)
{
    size_t length = strlen(prefix);
    if (text->length < length || memcmp(text->bytes, prefix, length) != 0)
        return false;
    text->bytes += length;
    text->length -= length;
    return true;
}

static void take_spaces(struct arena_string *text)
{
    while (take_prefix(text, " "))
        ;
}

/* NULL when there is none. */
static const struct marker_field *find_field(const struct marker_schema *schema,
                                             struct arena_string key)
{
    for (uint32_t i = 0; i < schema->field_count; i++)
        if (arena_string_equals(schema->fields[i].key, key))
            return &schema->fields[i];
    return NULL;
}

static bool is_part_of_marker(struct arena_string name)
{
    static const char *const parts[] = { "start", "end", "duration", "name", "category" };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (arena_string_is(name, parts[i]))
            return true;
    return false;
}

/* 'text' */
static bool take_quoted(struct arena_string *text)
{
    take_spaces(text);
    if (!take_prefix(text, "'"))
        return false;
    const char *end = memchr(text->bytes, '\'', text->length);
    if (end == NULL)
        return false;
    text->length -= (size_t)(end + 1 - text->bytes);
    text->bytes = end + 1;
    return true;
}

/* ? 'this' : 'that' */
static bool is_choice(struct arena_string text)
{
    take_spaces(&text);
    if (!take_prefix(&text, "?") || !take_quoted(&text))
        return false;
    take_spaces(&text);
    if (!take_prefix(&text, ":") || !take_quoted(&text))
        return false;
    take_spaces(&text);
    return text.length == 0;
}

/* What stands between two braces. */
static bool is_reference(struct arena_string text, const struct marker_schema *schema)
{
    take_spaces(&text);
    while (text.length > 0 && text.bytes[text.length - 1] == ' ')
        text.length--;
    if (!take_prefix(&text, "marker."))
        return false;
    if (!take_prefix(&text, "data."))
        return is_part_of_marker(text);
    size_t length = 0;
    while (length < text.length && text.bytes[length] != ' ' && text.bytes[length] != '?')
        length++;
    struct arena_string key = { text.bytes, length };
    struct arena_string rest = { text.bytes + length, text.length - length };
    return find_field(schema, key) != NULL && (rest.length == 0 || is_choice(rest));
}

bool marker_label_is_valid(struct arena_string label, const struct marker_schema *schema)
{
    while (label.length > 0) {
        const char *open = memchr(label.bytes, '{', label.length);
        if (open == NULL)
            return true;
        label.length -= (size_t)(open + 1 - label.bytes);
        label.bytes = open + 1;
        const char *close = memchr(label.bytes, '}', label.length);
        struct arena_string reference = { label.bytes, 0 };
        if (close == NULL)
            return true; /* a brace that stays one */
        reference.length = (size_t)(close - label.bytes);
        if (reference.length > 0 && !is_reference(reference, schema))
            return false;
        label.length -= reference.length + 1;
        label.bytes = close + 1;
    }
    return true;
}

bool marker_colour_is_valid(struct arena_string key, const struct marker_schema *schema)
{
    if (key.length == 0)
        return true;
    const struct marker_field *field = find_field(schema, key);
    return field != NULL && field->format != MARKER_FORMAT_UNIQUE_STRING &&
           marker_representation(field->format) == MARKER_TEXT;
}
