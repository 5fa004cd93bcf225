/* What the tables of a profile hold: strings, stacks and numbers. */
#ifndef TESTS_UNIT_GECKO_TABLES_H
#define TESTS_UNIT_GECKO_TABLES_H

#include <stdio.h>

#include "tests/unit/gecko_scene.h"

static const char *string_at(const cJSON *thread, const cJSON *index)
{
    ck_assert(cJSON_IsNumber(index));
    return cJSON_GetArrayItem(get_member(thread, "stringTable"), index->valueint)->valuestring;
}

/* "outer > inner" of the stack that a sample refers to; "null" for none. */
static const char *stack_text(const cJSON *thread, int sample_position)
{
    static char text[2048];
    const cJSON *stack =
        cJSON_GetArrayItem(cJSON_GetArrayItem(table_rows(thread, "samples"), sample_position), 0);
    text[0] = '\0';
    if (cJSON_IsNull(stack))
        return "null";
    while (cJSON_IsNumber(stack)) {
        char rest[1024];
        cJSON *row = cJSON_GetArrayItem(table_rows(thread, "stackTable"), stack->valueint);
        int frame = cJSON_GetArrayItem(row, 1)->valueint;
        cJSON *frame_row = cJSON_GetArrayItem(table_rows(thread, "frameTable"), frame);
        ck_assert_uint_lt(strlen(text), sizeof(rest));
        memcpy(rest, text, strlen(text) + 1);
        snprintf(text, sizeof(text), "%s%s%s", string_at(thread, cJSON_GetArrayItem(frame_row, 0)),
                 rest[0] ? " > " : "", rest);
        stack = cJSON_GetArrayItem(row, 0);
    }
    return text;
}

static double cell_value(const cJSON *thread, const char *table, int row, int column)
{
    return cJSON_GetArrayItem(cJSON_GetArrayItem(table_rows(thread, table), row), column)
        ->valuedouble;
}

#endif
