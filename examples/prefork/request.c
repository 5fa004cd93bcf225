#include "examples/prefork/request.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Takes from *REST what comes before SEPARATOR, and the separator. */
static bool take_until(struct text *rest, const char *separator, struct text *out)
{
    size_t length = strlen(separator);
    const char *end = memmem(rest->bytes, rest->length, separator, length);
    if (end == NULL)
        return false;
    *out = (struct text){ rest->bytes, (size_t)(end - rest->bytes) };
    rest->bytes = end + length;
    rest->length -= out->length + length;
    return true;
}

static bool text_is(struct text text, const char *wanted)
{
    return text.length == strlen(wanted) && strncasecmp(text.bytes, wanted, text.length) == 0;
}

/* VALUE as a number up to MAXIMUM. */
static int parse_number(struct text value, size_t maximum, size_t *out)
{
    size_t number = 0;
    while (value.length > 0 && *value.bytes == ' ')
        value.bytes++, value.length--;
    if (value.length == 0)
        return -EBADMSG;
    for (size_t i = 0; i < value.length; i++) {
        if (value.bytes[i] < '0' || value.bytes[i] > '9')
            return -EBADMSG;
        number = number * 10 + (size_t)(value.bytes[i] - '0');
        if (number > maximum)
            return -EBADMSG;
    }
    *out = number;
    return 0;
}

static int parse_request_line(struct text line, struct request *out)
{
    if (!take_until(&line, " ", &out->method) || !take_until(&line, " ", &out->path))
        return -EBADMSG;
    return text_is(line, "HTTP/1.1") ? 0 : -EBADMSG;
}

static int parse_headers(struct text headers, struct request *out)
{
    struct text line, name;
    size_t rounds = 1;
    int error = 0;
    out->body.length = 0;
    while (error == 0 && take_until(&headers, "\r\n", &line) && line.length > 0) {
        if (!take_until(&line, ":", &name))
            return -EBADMSG;
        if (text_is(name, "Content-Length"))
            error = parse_number(line, REQUEST_MAX_BYTES / 2, &out->body.length);
        else if (text_is(name, "X-Rounds"))
            error = parse_number(line, 1000, &rounds);
    }
    out->rounds = rounds > 0 ? (unsigned)rounds : 1;
    return error;
}

long request_parse(const char *buffer, size_t bytes, struct request *out)
{
    struct text rest = { buffer, bytes }, head, line;
    if (!take_until(&rest, "\r\n\r\n", &head))
        return bytes < REQUEST_MAX_BYTES / 2 ? 0 : -EBADMSG;
    head.length += 2; /* each header line keeps its end */
    if (!take_until(&head, "\r\n", &line) || parse_request_line(line, out) < 0 ||
        parse_headers(head, out) < 0)
        return -EBADMSG;
    if (rest.length < out->body.length)
        return 0;
    out->body.bytes = rest.bytes;
    return (rest.bytes - buffer) + (long)out->body.length;
}

/* --- JSON, by recursive descent --- */

enum { JSON_MAX_DEPTH = 32 };

struct json_cursor {
    const char *next, *end;
    struct json_summary *summary;
};

static int walk_value(struct json_cursor *cursor, size_t depth);

static char peek(struct json_cursor *cursor)
{
    while (cursor->next < cursor->end && strchr(" \t\r\n", *cursor->next))
        cursor->next++;
    if (cursor->next >= cursor->end)
        return '\0';
    return *cursor->next;
}

static bool take(struct json_cursor *cursor, char wanted)
{
    if (peek(cursor) != wanted)
        return false;
    cursor->next++;
    return true;
}

static int walk_string(struct json_cursor *cursor)
{
    if (!take(cursor, '"'))
        return -EBADMSG;
    for (; cursor->next < cursor->end; cursor->next++) {
        if (*cursor->next == '"') {
            cursor->next++;
            cursor->summary->strings++;
            return 0;
        }
        if (*cursor->next == '\\')
            cursor->next++;
    }
    return -EBADMSG;
}

static int walk_number(struct json_cursor *cursor)
{
    char digits[64];
    size_t length = 0;
    while (cursor->next < cursor->end && length < sizeof(digits) - 1 &&
           strchr("+-.0123456789eE", *cursor->next))
        digits[length++] = *cursor->next++;
    digits[length] = '\0';
    char *end;
    cursor->summary->sum += strtod(digits, &end);
    return length > 0 && *end == '\0' ? 0 : -EBADMSG;
}

static int walk_word(struct json_cursor *cursor, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(cursor->end - cursor->next) < length || memcmp(cursor->next, word, length) != 0)
        return -EBADMSG;
    cursor->next += length;
    return 0;
}

/* The members of an object or array, after its opening bracket. */
static int walk_members(struct json_cursor *cursor, char close, size_t depth)
{
    if (take(cursor, close))
        return 0;
    do {
        if (close == '}' && (walk_string(cursor) < 0 || !take(cursor, ':')))
            return -EBADMSG;
        if (walk_value(cursor, depth + 1) < 0)
            return -EBADMSG;
    } while (take(cursor, ','));
    return take(cursor, close) ? 0 : -EBADMSG;
}

static int walk_value(struct json_cursor *cursor, size_t depth)
{
    if (depth > JSON_MAX_DEPTH)
        return -EBADMSG;
    cursor->summary->values++;
    if (depth > cursor->summary->depth)
        cursor->summary->depth = depth;
    switch (peek(cursor)) {
    case '{':
        cursor->next++;
        return walk_members(cursor, '}', depth);
    case '[':
        cursor->next++;
        return walk_members(cursor, ']', depth);
    case '"':
        return walk_string(cursor);
    case 't':
        return walk_word(cursor, "true");
    case 'f':
        return walk_word(cursor, "false");
    case 'n':
        return walk_word(cursor, "null");
    default:
        return walk_number(cursor);
    }
}

int json_summarize(struct text body, struct json_summary *out)
{
    *out = (struct json_summary){ 0 };
    struct json_cursor cursor = { body.bytes, body.bytes + body.length, out };
    if (walk_value(&cursor, 0) < 0 || peek(&cursor) != '\0')
        return -EBADMSG;
    return 0;
}
