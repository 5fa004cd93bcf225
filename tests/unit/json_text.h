/* JSON that is written into memory, and read back. */
#ifndef TESTS_UNIT_JSON_TEXT_H
#define TESTS_UNIT_JSON_TEXT_H

#include <check.h>
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

/* Of zeros: nothing is written yet. Terminated once something is. */
struct text {
    char *bytes;
    size_t length, capacity;
};

/* A json_sink_write; CONTEXT is a struct text. */
static inline int append_text(void *context, const char *bytes, size_t count)
{
    struct text *text = context;
    if (text->length + count >= text->capacity) {
        text->capacity = 2 * (text->length + count) + 1;
        text->bytes = realloc(text->bytes, text->capacity);
        ck_assert_ptr_nonnull(text->bytes);
    }
    memcpy(text->bytes + text->length, bytes, count);
    text->length += count;
    text->bytes[text->length] = '\0';
    return 0;
}

/* Takes TEXT over. */
static inline cJSON *parse_json(struct text *text)
{
    cJSON *json = cJSON_ParseWithLength(text->bytes, text->length);
    ck_assert_msg(json != NULL, "no JSON: %s", text->bytes);
    free(text->bytes);
    return json;
}

static inline cJSON *get_member(const cJSON *object, const char *name)
{
    cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    ck_assert_msg(item != NULL, "no \"%s\"", name);
    return item;
}

#endif
