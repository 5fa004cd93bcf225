/* The lexical half of the reader: where strings, numbers and words end, and whether they are right.
 */
#include <errno.h>
#include <string.h>

#include "json/json_reader_state.h"

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int json_scan_more_space(struct json_reader *reader)
{
    for (;;) {
        while (reader->next < reader->end && is_space(*reader->next))
            reader->next++;
        if (reader->next < reader->end)
            return 1;
        reader->mark = reader->next;
        int filled = json_window_fill(reader);
        if (filled <= 0)
            return filled;
    }
}

/* Makes sure that COUNT bytes follow `next`. 0 or an error; WHAT is the message when they do not.
 */
static int require_bytes(struct json_reader *reader, size_t count, const char *what)
{
    while ((size_t)(reader->end - reader->next) < count) {
        int filled = json_window_fill(reader);
        if (filled < 0)
            return filled;
        if (filled == 0)
            return json_reader_fail(reader, -EPROTO, what);
    }
    return 0;
}

/* The first byte that is a quote, a backslash or a control character, or END. */
static const char *find_special(const char *at, const char *end)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t tops = UINT64_C(0x8080808080808080);
    while (end - at >= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        uint64_t quotes = word ^ ones * '"';
        uint64_t backslashes = word ^ ones * '\\';
        uint64_t found = ((word - ones * 0x20) & ~word) | ((quotes - ones) & ~quotes) |
                         ((backslashes - ones) & ~backslashes);
        found &= tops;
        /* The lowest one found is certain; borrows only disturb those above it. */
        if (found != 0)
            return at + __builtin_ctzll(found) / 8;
        at += 8;
    }
    while (at < end && *at != '"' && *at != '\\' && (unsigned char)*at >= 0x20)
        at++;
    return at;
}

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Past an escape, at whose backslash `next` stands. */
static int scan_escape(struct json_reader *reader)
{
    int error = require_bytes(reader, 2, "a string without end");
    if (error < 0)
        return error;
    reader->has_escapes = true;
    if (reader->next[1] != 'u') {
        if (memchr("\"\\/bfnrt", reader->next[1], 8) == NULL)
            return json_reader_fail(reader, -EPROTO, "an unknown escape");
        reader->next += 2;
        return 0;
    }
    error = require_bytes(reader, 6, "a string without end");
    for (int i = 2; error == 0 && i < 6; i++) {
        if (!is_hex(reader->next[i]))
            error = json_reader_fail(reader, -EPROTO, "\\u without four hexadecimal digits");
    }
    if (error == 0)
        reader->next += 6;
    return error;
}

int json_scan_string(struct json_reader *reader)
{
    int error = 0;
    reader->mark = reader->next++;
    reader->has_escapes = false;
    while (error == 0) {
        reader->next = find_special(reader->next, reader->end);
        error = require_bytes(reader, 1, "a string without end");
        if (error < 0)
            break;
        if (*reader->next == '"')
            break;
        if (*reader->next == '\\')
            error = scan_escape(reader);
        else if ((unsigned char)*reader->next < 0x20)
            error = json_reader_fail(reader, -EPROTO, "a control character in a string");
    }
    if (error < 0)
        return error;
    reader->text = reader->mark + 1;
    reader->text_bytes = (size_t)(reader->next - reader->text);
    reader->next++;
    return 0;
}

static bool is_number_byte(char c)
{
    return is_digit(c) || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && is_digit(*at))
        at++;
    return at;
}

/* -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)? */
static bool is_number(const char *at, const char *end)
{
    const char *digits = at += at < end && *at == '-';
    at = skip_digits(at, end);
    if (at == digits || (*digits == '0' && at - digits > 1))
        return false;
    if (at < end && *at == '.') {
        digits = ++at;
        at = skip_digits(at, end);
        if (at == digits)
            return false;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < end && (*at == '-' || *at == '+');
        digits = at;
        at = skip_digits(at, end);
        if (at == digits)
            return false;
    }
    return at == end;
}

enum { MAX_SHORT_DIGITS = 15 }; /* a double holds any number of so many */

/* Most numbers have few digits, no exponent, and are all in the window: one pass over them is
 * enough, which also reads them. False: this is another one, and nothing was done. */
static bool scan_short_number(struct json_reader *reader)
{
    const char *at = reader->next + (*reader->next == '-'), *first = at, *point = NULL;
    uint64_t digits = 0;
    if (reader->end - at < MAX_SHORT_DIGITS + 2)
        return false;
    for (; is_digit(*at) || (*at == '.' && point == NULL); at++) {
        if (*at == '.')
            point = at;
        else if (at - first - (point != NULL) == MAX_SHORT_DIGITS)
            return false;
        else
            digits = digits * 10 + (uint64_t)(*at - '0');
    }
    const char *whole_end = point != NULL ? point : at;
    if (is_number_byte(*at) || whole_end == first || (*first == '0' && whole_end - first > 1) ||
        (point != NULL && at == point + 1))
        return false;
    reader->digits = digits;
    reader->places = point != NULL ? (unsigned)(at - point - 1) : 0;
    reader->text = reader->mark = reader->next;
    reader->text_bytes = (size_t)(at - reader->text);
    reader->next = at;
    return true;
}

int json_scan_number(struct json_reader *reader)
{
    int filled = 1;
    reader->is_short_number = scan_short_number(reader);
    if (reader->is_short_number)
        return 0;
    reader->mark = reader->next;
    while (filled == 1) {
        while (reader->next < reader->end && is_number_byte(*reader->next))
            reader->next++;
        if (reader->next < reader->end)
            break;
        filled = json_window_fill(reader);
    }
    if (filled < 0)
        return filled;
    reader->text = reader->mark;
    reader->text_bytes = (size_t)(reader->next - reader->text);
    if (!is_number(reader->text, reader->next))
        return json_reader_fail(reader, -EPROTO, "a malformed number");
    return 0;
}

int json_scan_word(struct json_reader *reader, const char *word, size_t length)
{
    reader->mark = reader->next;
    int error = require_bytes(reader, length, "a value cut short");
    if (error < 0)
        return error;
    if (memcmp(reader->next, word, length) != 0)
        return json_reader_fail(reader, -EPROTO, "an unknown word");
    reader->text = reader->mark;
    reader->text_bytes = length;
    reader->next += length;
    return 0;
}
