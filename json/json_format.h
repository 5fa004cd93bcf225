/* Formats numbers as JSON text, straight into memory: two digits at a time, without a locale,
 * dividing only by constants. Each function returns a pointer behind what it wrote; the caller has
 * made room. */
#ifndef PROFD_JSON_JSON_FORMAT_H
#define PROFD_JSON_JSON_FORMAT_H

#include <stdint.h>
#include <string.h>

enum {
    JSON_U64_MAX_BYTES = 20,
    JSON_TIME_MAX_BYTES = 21, /* sign, 13 digits, point, 6 digits */
};

extern const char json_digit_pairs[200]; /* "000102…99" */

static inline unsigned json_count_digits(uint64_t value)
{
    unsigned digits = 1;
    while (value >= 10000) {
        value /= 10000;
        digits += 4;
    }
    return digits + (value >= 10) + (value >= 100) + (value >= 1000);
}

static inline char *json_format_u64(char *out, uint64_t value)
{
    char *end = out + json_count_digits(value);
    char *at = end;
    while (value >= 100) {
        memcpy(at -= 2, json_digit_pairs + value % 100 * 2, 2);
        value /= 100;
    }
    if (value >= 10)
        memcpy(at - 2, json_digit_pairs + value * 2, 2);
    else
        at[-1] = (char)('0' + value);
    return end;
}

/* Writes the fraction MILLIONTHS (below 1,000,000) with its point and without trailing zeros;
 * nothing if it is 0. */
static inline char *json_format_millionths(char *out, uint32_t millionths)
{
    if (millionths == 0)
        return out;
    out[0] = '.';
    memcpy(out + 1, json_digit_pairs + millionths / 10000 * 2, 2);
    memcpy(out + 3, json_digit_pairs + millionths / 100 % 100 * 2, 2);
    memcpy(out + 5, json_digit_pairs + millionths % 100 * 2, 2);
    out += 7;
    while (out[-1] == '0')
        out--;
    return out;
}

/* Writes nanoseconds as milliseconds, exactly. */
static inline char *json_format_time_ms(char *out, int64_t nanoseconds)
{
    uint64_t magnitude = (uint64_t)nanoseconds;
    if (nanoseconds < 0) {
        magnitude = 0 - magnitude;
        *out++ = '-';
    }
    out = json_format_u64(out, magnitude / 1000000);
    return json_format_millionths(out, (uint32_t)(magnitude % 1000000));
}

/* "0x…" without the quotes; at most 18 bytes. */
static inline char *json_format_address(char *out, uint64_t address)
{
    unsigned digits = (67u - (unsigned)__builtin_clzll(address | 1)) / 4;
    *out++ = '0';
    *out++ = 'x';
    for (unsigned i = digits; i-- > 0;)
        *out++ = "0123456789abcdef"[address >> (i * 4) & 15];
    return out;
}

/* Writes VALUE with up to 6 digits after the point, or with 15 significant digits and an exponent
 * if it is large; "null" if it is not finite. At most JSON_SCALAR_MAX_BYTES. */
char *json_format_double(char *out, double value);

#endif
