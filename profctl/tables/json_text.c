#include "profctl/tables/json_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/json_sinks.h"

int json_text_keep_string(struct json_reader *reader, char **text)
{
    const char *view;
    size_t length;
    int error = json_reader_string(reader, &view, &length);

    if (error < 0)
        return error;
    free(*text);
    *text = strndup(view, length);
    return *text != NULL ? 0 : -ENOMEM;
}

int json_text_keep(struct json_reader *reader, char **text)
{
    int token = json_reader_next(reader);

    if (token == JSON_TOKEN_STRING)
        return json_text_keep_string(reader, text);
    return token < 0 ? token : token == JSON_TOKEN_NULL ? 0 : -EPROTO;
}

int json_text_keep_if_string(struct json_reader *reader, char **text)
{
    int token = json_reader_next(reader);

    if (token == JSON_TOKEN_STRING)
        return json_text_keep_string(reader, text);
    return token < 0 ? token : json_reader_skip(reader);
}

int json_number_keep(struct json_reader *reader, double *number)
{
    if (json_reader_next(reader) == JSON_TOKEN_NUMBER)
        *number = json_reader_double(reader);
    return json_reader_skip(reader);
}

int json_number_keep_either(struct json_reader *reader, double *number)
{
    const char *text;
    size_t length;
    int token = json_reader_next(reader);

    if (token == JSON_TOKEN_NUMBER)
        *number = json_reader_double(reader);
    if (token != JSON_TOKEN_STRING)
        return json_reader_skip(reader);
    int error = json_reader_string(reader, &text, &length);
    if (error == 0)
        *number = strtod(text, NULL);
    return error;
}

int json_text_append_value(struct json_reader *reader, struct mapped_array *bytes)
{
    return json_reader_copy_value(reader, json_sink_memory, bytes);
}
