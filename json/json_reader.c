#include "json/json_reader.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "json/json_reader_state.h"

unsigned json_reader_depth(const struct json_reader *reader)
{
    return reader->depth;
}

int json_reader_refuse(struct json_reader *reader, const char *format, ...)
{
    va_list arguments;

    if (reader->error == 0) {
        reader->error = -EPROTO;
        va_start(arguments, format);
        vsnprintf(reader->message, sizeof(reader->message), format, arguments);
        va_end(arguments);
    }
    return reader->error;
}

const char *json_reader_error(const struct json_reader *reader)
{
    return reader->message;
}

const char *json_reader_raw(const struct json_reader *reader, size_t *length)
{
    *length = reader->text_bytes;
    return reader->text;
}

/* What comes after a complete value. */
static void value_is_over(struct json_reader *reader)
{
    reader->expectation = reader->depth == 0 ? EXPECT_NOTHING : EXPECT_COMMA_OR_END;
}

static int open_collection(struct json_reader *reader, bool is_object)
{
    if (reader->depth == JSON_READER_MAX_DEPTH)
        return json_reader_fail(reader, -E2BIG, "nesting that is too deep");
    reader->next++;
    reader->is_object[reader->depth++] = is_object;
    reader->expectation = is_object ? EXPECT_KEY_OR_END : EXPECT_VALUE_OR_END;
    return is_object ? JSON_TOKEN_START_OBJECT : JSON_TOKEN_START_ARRAY;
}

/* At a bracket that ends something. */
static int close_collection(struct json_reader *reader)
{
    bool is_object = reader->is_object[reader->depth - 1];
    if (*reader->next != (is_object ? '}' : ']'))
        return json_reader_fail(reader, -EPROTO,
                                is_object ? "expected ',' or '}'" : "expected ',' or ']'");
    reader->next++;
    reader->depth--;
    value_is_over(reader);
    return is_object ? JSON_TOKEN_END_OBJECT : JSON_TOKEN_END_ARRAY;
}

static int finish_scalar(struct json_reader *reader, int error, enum json_token token)
{
    value_is_over(reader);
    return error < 0 ? error : (int)token;
}

static int read_value(struct json_reader *reader)
{
    reader->mark = reader->next;
    if (reader->copy != NULL && reader->copy_from == NULL)
        reader->copy_from = reader->next;
    switch (*reader->next) {
    case '{':
        return open_collection(reader, true);
    case '[':
        return open_collection(reader, false);
    case '"':
        return finish_scalar(reader, json_scan_string(reader), JSON_TOKEN_STRING);
    case 't':
        return finish_scalar(reader, json_scan_word(reader, "true", 4), JSON_TOKEN_TRUE);
    case 'f':
        return finish_scalar(reader, json_scan_word(reader, "false", 5), JSON_TOKEN_FALSE);
    case 'n':
        return finish_scalar(reader, json_scan_word(reader, "null", 4), JSON_TOKEN_NULL);
    default:
        if (*reader->next == '-' || (*reader->next >= '0' && *reader->next <= '9'))
            return finish_scalar(reader, json_scan_number(reader), JSON_TOKEN_NUMBER);
        return json_reader_fail(reader, -EPROTO, "expected a value");
    }
}

static int read_key(struct json_reader *reader)
{
    reader->mark = reader->next;
    if (*reader->next != '"')
        return json_reader_fail(reader, -EPROTO, "expected a key");
    int error = json_scan_string(reader);
    reader->expectation = EXPECT_COLON;
    return error < 0 ? error : JSON_TOKEN_KEY;
}

/* Past the comma or colon that comes next, if one does, and to the byte behind it. 1; 0 when the
 * input ended where it may; or an error. */
static int pass_separator(struct json_reader *reader)
{
    int found = json_scan_space(reader);
    if (found < 0 || (found == 0 && reader->expectation == EXPECT_NOTHING))
        return found;
    if (found == 0)
        return json_reader_fail(reader, -EPROTO, "the document ends too early");
    if (reader->expectation == EXPECT_NOTHING)
        return json_reader_fail(reader, -EPROTO, "something follows the document");
    if (reader->expectation == EXPECT_COLON) {
        if (*reader->next != ':')
            return json_reader_fail(reader, -EPROTO, "expected ':' after a key");
        reader->expectation = EXPECT_VALUE;
    } else if (reader->expectation == EXPECT_COMMA_OR_END && *reader->next == ',') {
        bool is_object = reader->is_object[reader->depth - 1];
        reader->expectation = is_object ? EXPECT_NEXT_KEY : EXPECT_NEXT_VALUE;
    } else {
        return 1;
    }
    reader->next++;
    found = json_scan_space(reader);
    return found == 0 ? json_reader_fail(reader, -EPROTO, "the document ends too early") : found;
}

static int read_token(struct json_reader *reader)
{
    int found = pass_separator(reader);
    if (found <= 0)
        return found;
    switch (reader->expectation) {
    case EXPECT_VALUE_OR_END:
        return *reader->next == ']' ? close_collection(reader) : read_value(reader);
    case EXPECT_KEY_OR_END:
        return *reader->next == '}' ? close_collection(reader) : read_key(reader);
    case EXPECT_COMMA_OR_END:
        return close_collection(reader);
    case EXPECT_NEXT_KEY:
        return read_key(reader);
    default:
        return read_value(reader);
    }
}

int json_reader_next(struct json_reader *reader)
{
    if (reader->error != 0)
        return reader->error;
    reader->text_bytes = 0;
    int token = read_token(reader);
    reader->token = token < 0 ? JSON_TOKEN_END : (enum json_token)token;
    return token;
}

int json_reader_more(struct json_reader *reader)
{
    if (reader->error != 0)
        return reader->error;
    reader->text_bytes = 0;
    if (reader->depth == 0)
        return 0;
    int found = pass_separator(reader);
    if (found <= 0)
        return found;
    bool may_end = reader->expectation == EXPECT_VALUE_OR_END ||
                   reader->expectation == EXPECT_KEY_OR_END ||
                   reader->expectation == EXPECT_COMMA_OR_END;
    bool is_bracket = *reader->next == ']' || *reader->next == '}';
    return !(may_end && is_bracket);
}

/* Reads until the collection that has just started is over. */
static int skip_collection(struct json_reader *reader)
{
    unsigned outside = reader->depth - 1;
    int token = 1;
    while (token >= 0 && reader->depth > outside)
        token = json_reader_next(reader);
    return token < 0 ? token : 0;
}

static bool is_start(int token)
{
    return token == JSON_TOKEN_START_OBJECT || token == JSON_TOKEN_START_ARRAY;
}

int json_reader_skip(struct json_reader *reader)
{
    int token = reader->error != 0 ? reader->error : (int)reader->token;
    if (token == JSON_TOKEN_KEY)
        token = json_reader_next(reader);
    if (is_start(token))
        return skip_collection(reader);
    return token < 0 ? token : 0;
}

int json_reader_copy_value(struct json_reader *reader,
                           int (*write)(void *context, const char *bytes, size_t n), void *context)
{
    reader->copy = write;
    reader->copy_context = context;
    reader->copy_from = NULL;
    int token = json_reader_next(reader);
    int error = token < 0 ? token : 0;
    if (error == 0 && reader->copy_from == NULL)
        error = json_reader_fail(reader, -EPROTO, "expected a value to copy");
    if (is_start(token))
        error = skip_collection(reader);
    if (error == 0)
        error = json_window_flush_copy(reader);
    reader->copy = NULL;
    reader->copy_from = NULL;
    return error;
}
