#include "profctl/push/push_labels.h"

#include <stdbool.h>
#include <string.h>

#include "profctl/push/push_utf8.h"

enum { THE_PROFILE = 0 }; /* the first label says which one it is */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool may_stay(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

/* A digit in front gets a _ before it, and what else may not be there becomes one. */
static void make_name(char out[LABEL_KEY_BYTES + 1], const char *key, size_t length)
{
    size_t used = 0;

    if (length >= LABEL_KEY_BYTES)
        length = LABEL_KEY_BYTES - 1;
    if (length > 0 && is_digit(key[0]))
        out[used++] = '_';
    memcpy(out + used, key, length);
    for (size_t end = used + length; used < end; used++)
        if (!may_stay(out[used]))
            out[used] = '_';
    out[used] = '\0';
}

/* Where NAME is, or the place for it behind all others. */
static size_t find_label(const struct push_labels *labels, const char *name)
{
    size_t i = 0;

    while (i < labels->count && strcmp(labels->names[i], name) != 0)
        i++;
    return i;
}

static void set_label(struct push_labels *labels, const char *key, size_t key_length,
                      const char *value, size_t length)
{
    char name[LABEL_KEY_BYTES + 1];

    if (length == 0 || key_length == 0)
        return;
    make_name(name, key, key_length);
    size_t i = find_label(labels, name);
    if (i < labels->count && i == THE_PROFILE)
        return;
    push_utf8_copy(labels->values[i], LABEL_VALUE_BYTES, value, length);
    if (i < labels->count)
        return;
    strcpy(labels->names[i], name);
    push__label__init(&labels->labels[i]);
    labels->labels[i].name = labels->names[i];
    labels->labels[i].value = labels->values[i];
    labels->list[i] = &labels->labels[i];
    labels->count++;
}

void push_labels_make(struct push_labels *labels, const struct push_source *source,
                      const char *profile)
{
    static const struct {
        const char *name;
        enum push_field field;
    } columns[] = {
        { "service_name", PUSH_SERVICE }, { "host", PUSH_HOST },
        { "program", PUSH_PROGRAM },      { "version", PUSH_VERSION },
        { "build_id", PUSH_BUILD_ID },    { "process", PUSH_KIND },
    };

    labels->count = 0;
    set_label(labels, "__name__", strlen("__name__"), profile, strlen(profile));
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        const struct push_text *text = &source->fields[columns[i].field];
        set_label(labels, columns[i].name, strlen(columns[i].name), text->bytes, text->length);
    }
    for (size_t i = 0; i < source->labels; i++)
        set_label(labels, source->keys[i].bytes, source->keys[i].length, source->values[i].bytes,
                  source->values[i].length);
}
