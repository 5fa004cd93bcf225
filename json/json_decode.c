/* What the reader's strings and numbers mean. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "json/json_reader_state.h"
#include "json/utf8.h"

enum { REPLACEMENT_CHARACTER = 0xfffd };

static unsigned hex_digit(char c)
{
    if (c <= '9')
        return (unsigned)(c - '0');
    return (unsigned)((c | 0x20) - 'a') + 10;
}

/* The number in "\uXXXX" at IN; the scanner has checked it. */
static uint32_t code_unit(const char *in)
{
    return hex_digit(in[2]) << 12 | hex_digit(in[3]) << 8 | hex_digit(in[4]) << 4 |
           hex_digit(in[5]);
}

/* Decodes "\uXXXX" at *IN, with the second half of its pair if it has one. */
static uint32_t decode_code_point(const char **in, const char *end)
{
    uint32_t unit = code_unit(*in);
    *in += 6;
    if (unit < 0xd800 || unit > 0xdfff)
        return unit;
    bool has_second = end - *in >= 6 && (*in)[0] == '\\' && (*in)[1] == 'u';
    uint32_t second = has_second ? code_unit(*in) : 0;
    if (unit > 0xdbff || second < 0xdc00 || second > 0xdfff)
        return REPLACEMENT_CHARACTER;
    *in += 6;
    return 0x10000 + ((unit - 0xd800) << 10) + (second - 0xdc00);
}

static char *decode_escape(char *out, const char **in, const char *end)
{
    char letter = (*in)[1];
    if (letter == 'u')
        return out + utf8_encode(out, decode_code_point(in, end));
    static const char meanings[][2] = {
        { 'b', '\b' }, { 'f', '\f' }, { 'n', '\n' }, { 'r', '\r' }, { 't', '\t' },
    };
    *in += 2;
    *out = letter;
    for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
        if (meanings[i][0] == letter)
            *out = meanings[i][1];
    }
    return out + 1;
}

/* The decoded text is never longer than the raw one. */
static int make_room(struct json_reader *reader)
{
    size_t wanted = reader->text_bytes + 1;
    if (wanted <= reader->decoded_bytes)
        return 0;
    wanted += wanted / 2;
    char *decoded = realloc(reader->decoded, wanted);
    if (decoded == NULL)
        return json_reader_fail(reader, -ENOMEM, "no memory");
    reader->decoded = decoded;
    reader->decoded_bytes = wanted;
    return 0;
}

int json_reader_string(struct json_reader *reader, const char **text, size_t *length)
{
    int error = make_room(reader);
    if (error < 0)
        return error;
    const char *in = reader->text, *end = in + reader->text_bytes;
    char *out = reader->decoded;
    while (in < end) {
        const char *backslash = reader->has_escapes ? memchr(in, '\\', (size_t)(end - in)) : NULL;
        size_t plain = (size_t)((backslash != NULL ? backslash : end) - in);
        memcpy(out, in, plain);
        out += plain;
        in += plain;
        if (in < end)
            out = decode_escape(out, &in, end);
    }
    *out = '\0';
    *text = reader->decoded;
    *length = (size_t)(out - reader->decoded);
    return 0;
}

bool json_reader_is(struct json_reader *reader, const char *text)
{
    size_t length = strlen(text);
    if (reader->token != JSON_TOKEN_KEY && reader->token != JSON_TOKEN_STRING)
        return false;
    if (!reader->has_escapes)
        return reader->text_bytes == length && memcmp(reader->text, text, length) == 0;
    const char *decoded;
    size_t decoded_length;
    return json_reader_string(reader, &decoded, &decoded_length) == 0 && decoded_length == length &&
           memcmp(decoded, text, length) == 0;
}

/* The sign and digits of a number's text as an integer, with the power of ten that it is to be
 * multiplied by. False when that loses digits. */
static bool split_number(const char *at, const char *end, uint64_t *digits, int *exponent)
{
    bool is_fraction = false;
    *digits = 0;
    *exponent = 0;
    for (; at < end; at++) {
        if (*at == '.') {
            is_fraction = true;
        } else if (*at < '0' || *at > '9' || *digits > (UINT64_C(1) << 53) / 10 - 1) {
            return false;
        } else {
            *digits = *digits * 10 + (uint64_t)(*at - '0');
            *exponent -= is_fraction;
        }
    }
    return *exponent >= -22;
}

static double double_by_library(const struct json_reader *reader)
{
    char text[512];
    size_t length = reader->text_bytes < sizeof(text) - 1 ? reader->text_bytes : sizeof(text) - 1;
    memcpy(text, reader->text, length);
    text[length] = '\0';
    return strtod(text, NULL);
}

double json_reader_double(const struct json_reader *reader)
{
    /* Powers of ten that a double holds exactly; with digits below 2^53, so is their quotient. */
    static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    uint64_t digits;
    int exponent;
    if (reader->token != JSON_TOKEN_NUMBER)
        return 0;
    bool is_negative = reader->text[0] == '-';
    if (reader->is_short_number) {
        double magnitude = (double)reader->digits;
        if (reader->places > 0)
            magnitude /= powers[reader->places];
        return is_negative ? -magnitude : magnitude;
    }
    if (!split_number(reader->text + is_negative, reader->text + reader->text_bytes, &digits,
                      &exponent))
        return double_by_library(reader);
    double magnitude = (double)digits / powers[-exponent];
    return is_negative ? -magnitude : magnitude;
}

/* The digits from AT to END as a number. */
static int read_digits(const char *at, const char *end, uint64_t *value)
{
    uint64_t result = 0;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9' || __builtin_mul_overflow(result, 10, &result) ||
            __builtin_add_overflow(result, (uint64_t)(*at - '0'), &result))
            return -ERANGE;
    }
    *value = result;
    return 0;
}

int json_reader_u64(const struct json_reader *reader, uint64_t *value)
{
    if (reader->token != JSON_TOKEN_NUMBER)
        return -ERANGE;
    return read_digits(reader->text, reader->text + reader->text_bytes, value);
}

int json_reader_i64(const struct json_reader *reader, int64_t *value)
{
    uint64_t magnitude;
    if (reader->token != JSON_TOKEN_NUMBER)
        return -ERANGE;
    bool is_negative = reader->text[0] == '-';
    int error =
        read_digits(reader->text + is_negative, reader->text + reader->text_bytes, &magnitude);
    if (error < 0 || magnitude > (uint64_t)INT64_MAX + is_negative)
        return -ERANGE;
    *value = is_negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return 0;
}
