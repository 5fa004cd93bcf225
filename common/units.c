#include "common/units.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "common/time_units.h"

struct unit {
    const char *suffix;
    double factor;
};

static const struct unit size_units[] = {
    { "", 1 },
    { "B", 1 },
    { "K", 1024.0 },
    { "KB", 1024.0 },
    { "KiB", 1024.0 },
    { "M", 1024.0 * 1024 },
    { "MB", 1024.0 * 1024 },
    { "MiB", 1024.0 * 1024 },
    { "G", 1024.0 * 1024 * 1024 },
    { "GB", 1024.0 * 1024 * 1024 },
    { "GiB", 1024.0 * 1024 * 1024 },
};

static const struct unit time_units[] = {
    { "ns", 1 },       { "us", NS_PER_US },      { "µs", NS_PER_US },        { "ms", NS_PER_MS },
    { "s", NS_PER_S }, { "m", 60.0 * NS_PER_S }, { "h", 3600.0 * NS_PER_S },
};

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* A plain decimal number: strtod also takes "inf", "0x10" and leading blanks, which nobody means
 * here, and asks the locale what a point is. */
static int parse_decimal(const char *text, double *number, const char **rest)
{
    const char *next = text;
    double scale = 1;

    *number = 0;
    for (; is_digit(*next); next++)
        *number = *number * 10 + (*next - '0');
    if (*next == '.')
        for (next++; is_digit(*next); next++)
            *number += (*next - '0') * (scale /= 10);
    if (next == text || next[-1] == '.')
        return -EINVAL;
    *rest = next;
    return 0;
}

static const struct unit *look_up(const struct unit *units, size_t count, const char *suffix,
                                  int (*compare)(const char *left, const char *right))
{
    for (size_t i = 0; i < count; i++)
        if (compare(units[i].suffix, suffix) == 0)
            return &units[i];
    return NULL;
}

/* First as it is written: strcasecmp() brings in the C library's tables of letters, which many
 * processes that begin would not need otherwise. */
static const struct unit *find_unit(const struct unit *units, size_t count, const char *suffix)
{
    const struct unit *exact = look_up(units, count, suffix, strcmp);

    return exact != NULL ? exact : look_up(units, count, suffix, strcasecmp);
}

static int to_whole(double number, uint64_t *out)
{
    number += 0.5;
    if (number >= 9.2e18)
        return -ERANGE;
    *out = (uint64_t)number;
    return 0;
}

int units_parse_size(const char *text, uint64_t *bytes)
{
    const struct unit *unit;
    const char *suffix;
    double number;
    int error = parse_decimal(text, &number, &suffix);

    if (error < 0)
        return error;
    unit = find_unit(size_units, sizeof(size_units) / sizeof(size_units[0]), suffix);
    if (unit == NULL)
        return -EINVAL;
    return to_whole(number * unit->factor, bytes);
}

int units_parse_time(const char *text, uint64_t default_unit_ns, uint64_t *ns)
{
    const struct unit *unit;
    const char *suffix;
    double number;
    int error = parse_decimal(text, &number, &suffix);

    if (error < 0)
        return error;
    if (*suffix == '\0')
        return to_whole(number * (double)default_unit_ns, ns);
    unit = find_unit(time_units, sizeof(time_units) / sizeof(time_units[0]), suffix);
    if (unit == NULL)
        return -EINVAL;
    return to_whole(number * unit->factor, ns);
}

int units_parse_rate(const char *text, uint64_t *interval_ns)
{
    const char *suffix;
    double number;
    int error = parse_decimal(text, &number, &suffix);

    if (error < 0)
        return error;
    if (strcasecmp(suffix, "Hz") != 0 && *suffix != '\0')
        return -EINVAL;
    if (number <= 0)
        return -EINVAL;
    return to_whole(NS_PER_S / number, interval_ns);
}

int units_parse_count(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *count)
{
    uint64_t number = 0;
    bool has_room = true;

    if (*text == '\0')
        return -EINVAL;
    for (; *text != '\0'; text++) {
        if (!is_digit(*text))
            return -EINVAL;
        has_room = has_room && !__builtin_mul_overflow(number, UINT64_C(10), &number) &&
                   !__builtin_add_overflow(number, (uint64_t)(*text - '0'), &number);
    }
    if (!has_room || number < minimum || number > maximum)
        return -ERANGE;
    *count = number;
    return 0;
}
