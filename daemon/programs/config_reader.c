#include "daemon/programs/config_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static unsigned line_at(const struct config_reader *reader)
{
    uint64_t end = json_reader_offset(reader->json);
    unsigned line = 1;

    for (uint64_t i = 0; i < end; i++)
        line += reader->text[i] == '\n';
    return line;
}

void config_complain(struct config_reader *reader, const char *format, ...)
{
    va_list arguments;
    int length = snprintf(reader->error_text, CONFIG_ERROR_TEXT, "%.200s:%u: %s%s", reader->file,
                          line_at(reader), reader->path, reader->path[0] != '\0' ? ": " : "");

    va_start(arguments, format);
    vsnprintf(reader->error_text + length, CONFIG_ERROR_TEXT - (size_t)length, format, arguments);
    va_end(arguments);
}

int config_no_memory(struct config_reader *reader)
{
    config_complain(reader, "no memory");
    return -ENOMEM;
}

int config_next(struct config_reader *reader, int *token)
{
    *token = json_reader_next(reader->json);
    return *token >= 0 ? 0 : config_refuse(reader, "%s", json_reader_error(reader->json));
}

int config_refuse_key(struct config_reader *reader, const char *expected)
{
    size_t length;
    const char *key = json_reader_raw(reader->json, &length);

    return config_refuse(reader, "unknown key \"%.*s\"; expected %s",
                         length > 60 ? 60 : (int)length, key, expected);
}

int config_expect(struct config_reader *reader, enum json_token wanted, const char *what)
{
    int token;
    int error = config_next(reader, &token);

    return error < 0 ? error : token == (int)wanted ? 0 : config_refuse(reader, "needs %s", what);
}

int config_more(struct config_reader *reader, bool *goes_on)
{
    int answer = json_reader_more(reader->json);

    *goes_on = answer > 0;
    return answer >= 0 ? 0 : config_refuse(reader, "%s", json_reader_error(reader->json));
}

int config_take_text(struct config_reader *reader, char **out)
{
    const char *text;
    size_t length;

    if (*out != NULL)
        return config_refuse(reader, "is given twice");
    if (json_reader_string(reader->json, &text, &length) < 0)
        return config_no_memory(reader);
    if (memchr(text, '\0', length) != NULL)
        return config_refuse(reader, "must not contain a NUL byte");
    *out = strndup(text, length);
    return *out != NULL ? 0 : config_no_memory(reader);
}

int config_read_text(struct config_reader *reader, char **out)
{
    int error = config_expect(reader, JSON_TOKEN_STRING, "a string");

    if (error == 0)
        error = config_take_text(reader, out);
    return error == 0 && **out == '\0' ? config_refuse(reader, "must not be empty") : error;
}
