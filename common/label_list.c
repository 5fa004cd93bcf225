#include "common/label_list.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char key_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._/-";

static size_t place_of(const struct label_list *list, const char *key)
{
    size_t place = 0;

    while (place < list->count && strcmp(list->labels[place].key, key) < 0)
        place++;
    return place;
}

static bool key_is_at(const struct label_list *list, size_t place, const char *key)
{
    return place < list->count && strcmp(list->labels[place].key, key) == 0;
}

int label_list_set(struct label_list *list, const char *key, size_t key_length, const char *value,
                   size_t value_length)
{
    struct label label = { 0 };

    if (key_length == 0 || key_length >= LABEL_KEY_BYTES || strspn(key, key_letters) < key_length)
        return -EINVAL;
    if (value_length >= LABEL_VALUE_BYTES)
        return -E2BIG;
    memcpy(label.key, key, key_length);
    memcpy(label.value, value, value_length);
    size_t place = place_of(list, label.key);
    if (!key_is_at(list, place, label.key)) {
        if (list->count == LABELS_MAX)
            return -E2BIG;
        memmove(&list->labels[place + 1], &list->labels[place],
                (list->count - place) * sizeof(label));
        list->count++;
    }
    list->labels[place] = label;
    return 0;
}

const char *label_list_get(const struct label_list *list, const char *key)
{
    size_t place = place_of(list, key);

    return key_is_at(list, place, key) ? list->labels[place].value : NULL;
}

void label_list_remove(struct label_list *list, const char *key)
{
    size_t place = place_of(list, key);

    if (!key_is_at(list, place, key))
        return;
    list->count--;
    memmove(&list->labels[place], &list->labels[place + 1],
            (list->count - place) * sizeof(list->labels[0]));
}

size_t label_list_merge(struct label_list *list, const struct label_list *other)
{
    size_t left_out = 0;

    for (size_t i = 0; i < other->count; i++) {
        const struct label *label = &other->labels[i];
        left_out += label_list_set(list, label->key, strlen(label->key), label->value,
                                   strlen(label->value)) < 0;
    }
    return left_out;
}

/* The value at *TEXT up to one of the bytes of STOP, without its backslashes, into VALUE; *TEXT
 * moves to the stop. A value that is too long is of LABEL_VALUE_BYTES. */
static size_t take_value(const char **text, const char *stop, char value[LABEL_VALUE_BYTES])
{
    const char *next = *text;
    size_t length = 0;

    for (; *next != '\0' && strchr(stop, *next) == NULL; next++) {
        next += next[0] == '\\' && next[1] != '\0' ? 1 : 0;
        if (length < LABEL_VALUE_BYTES)
            value[length++] = *next;
    }
    *text = next;
    return length;
}

/* Sets the label at *TEXT, which moves behind it and its comma. 0, or what is wrong with it. */
static int parse_label(struct label_list *list, const char **text)
{
    char value[LABEL_VALUE_BYTES];
    const char *key = *text;
    size_t key_length = strcspn(key, "=,");
    bool has_value = key[key_length] == '=';

    *text += key_length + has_value;
    size_t length = has_value ? take_value(text, ",", value) : 0;
    *text += **text == ',';
    return has_value ? label_list_set(list, key, key_length, value, length) : -EINVAL;
}

int label_list_parse(struct label_list *list, const char *text, const char **wrong)
{
    int error = 0;

    while (error == 0 && *text != '\0') {
        size_t count = list->count;
        *wrong = text;
        error = parse_label(list, &text);
        if (error == 0 && list->count == count)
            error = -EEXIST;
    }
    return error;
}

size_t label_list_take(struct label_list *list, const char *text)
{
    size_t left_out = 0;

    while (*text != '\0')
        left_out += parse_label(list, &text) < 0;
    return left_out;
}

size_t label_list_measure(const char *text, size_t room, size_t *left_out)
{
    size_t fitting = 0;
    const char *next = text;

    *left_out = 0;
    while (*next != '\0') {
        while (*next != ',' && *next != '\0')
            next += next[0] == '\\' && next[1] != '\0' ? 2 : 1;
        bool fits = *left_out == 0 && (size_t)(next - text) <= room;
        fitting = fits ? (size_t)(next - text) : fitting;
        *left_out += !fits;
        next += *next == ',';
    }
    return fitting;
}

/* The byte that Go writes as "\xHH" or by a letter, at *TEXT behind the backslash. */
static char take_escaped(const char **text)
{
    static const char letters[] = "abfnrtv", meant[] = "\a\b\f\n\r\t\v";
    const char *letter = strchr(letters, **text);
    char digits[3] = "";

    if (**text == 'x' && (*text)[1] != '\0' && (*text)[2] != '\0') {
        memcpy(digits, *text + 1, 2);
        *text += 3;
        return (char)strtoul(digits, NULL, 16);
    }
    const char *byte = letter != NULL ? &meant[letter - letters] : *text;
    (*text)++;
    return *byte;
}

/* What stands in quotes at *TEXT, behind the first one, into VALUE; *TEXT moves behind the last. */
static int take_quoted(const char **text, char value[LABEL_VALUE_BYTES], size_t *length)
{
    const char *next = *text;

    *length = 0;
    while (*next != '"' && *next != '\n' && *next != '\0' && *length < LABEL_VALUE_BYTES) {
        bool is_escaped = next[0] == '\\' && next[1] != '\0';
        next += is_escaped;
        if (is_escaped)
            value[(*length)++] = take_escaped(&next);
        else
            value[(*length)++] = *next++;
    }
    *text = next + 1;
    return *next == '"' ? 0 : -EINVAL;
}

int label_list_parse_downward(struct label_list *list, const char *text)
{
    char value[LABEL_VALUE_BYTES];
    size_t length;

    while (*text != '\0') {
        const char *key = text;
        size_t key_length = strcspn(text, "=\n");
        if (key_length == 0 && *text == '\n') {
            text++;
            continue;
        }
        if (key[key_length] != '=' || key[key_length + 1] != '"')
            return -EINVAL;
        text += key_length + 2;
        int error = take_quoted(&text, value, &length);
        if (error == 0)
            error = label_list_set(list, key, key_length, value, length);
        if (error < 0)
            return error;
    }
    return 0;
}
