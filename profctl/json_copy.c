#include "profctl/json_copy.h"

#include "profctl/json_steps.h"

static int copy_text(struct json_reader *reader, bool is_key, struct json_writer *writer)
{
    const char *text;
    size_t length;
    int error = json_reader_string(reader, &text, &length);

    if (error < 0)
        return error;
    if (is_key)
        json_name(writer, text);
    else
        json_string_bytes(writer, text, length);
    return 0;
}

int json_copy_token(struct json_reader *reader, int token, struct json_writer *writer)
{
    const char *raw;
    size_t length;

    switch (token) {
    case JSON_TOKEN_KEY:
    case JSON_TOKEN_STRING:
        return copy_text(reader, token == JSON_TOKEN_KEY, writer);
    case JSON_TOKEN_NUMBER:
        raw = json_reader_raw(reader, &length);
        json_splice_bytes(writer, raw, length);
        return 0;
    case JSON_TOKEN_TRUE:
    case JSON_TOKEN_FALSE:
        json_bool(writer, token == JSON_TOKEN_TRUE);
        return 0;
    case JSON_TOKEN_NULL:
        json_null(writer);
        return 0;
    default:
        return json_token_error(token);
    }
}

static int copy_bracket_or_token(struct json_reader *reader, int token, struct json_writer *writer)
{
    switch (token) {
    case JSON_TOKEN_START_OBJECT:
        json_start_object(writer);
        return 0;
    case JSON_TOKEN_END_OBJECT:
        json_end_object(writer);
        return 0;
    case JSON_TOKEN_START_ARRAY:
        json_start_array(writer);
        return 0;
    case JSON_TOKEN_END_ARRAY:
        json_end_array(writer);
        return 0;
    default:
        return json_copy_token(reader, token, writer);
    }
}

int json_copy_from(struct json_reader *reader, int token, struct json_writer *writer)
{
    unsigned depth = json_reader_depth(reader);
    int error = copy_bracket_or_token(reader, token, writer);

    if (token != JSON_TOKEN_START_OBJECT && token != JSON_TOKEN_START_ARRAY)
        return error;
    while (error == 0 && json_reader_depth(reader) >= depth)
        error = copy_bracket_or_token(reader, json_reader_next(reader), writer);
    return error;
}

int json_copy_unless_text(struct json_reader *reader, struct json_writer *writer, const char **text,
                          size_t *length)
{
    int token = json_reader_next(reader);

    if (token != JSON_TOKEN_STRING)
        return json_copy_from(reader, token, writer);
    int error = json_reader_string(reader, text, length);
    return error < 0 ? error : 1;
}

int json_copy_member(struct json_reader *reader, struct json_writer *writer)
{
    int error = json_copy_token(reader, JSON_TOKEN_KEY, writer);

    return error < 0 ? error : json_copy_value(reader, writer);
}

int json_copy_value(struct json_reader *reader, struct json_writer *writer)
{
    return json_copy_from(reader, json_reader_next(reader), writer);
}
