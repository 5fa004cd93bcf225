#include "profctl/query/query_time.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/time_units.h"
#include "common/units.h"

enum { SECONDS_OF_AN_HOUR = 60 * 60 };

/* units_parse_time() knows no hours and days. */
static int parse_ago(const char *text, uint64_t *seconds)
{
    char *end;
    double number = strtod(text, &end);
    double unit_s = strcmp(end, "h") == 0 ? 3600 : strcmp(end, "d") == 0 ? 86400 : 0;
    uint64_t ns;

    if (unit_s > 0 && end != text && number >= 0) {
        *seconds = number * unit_s < UINT32_MAX ? (uint64_t)(number * unit_s) : UINT32_MAX;
        return 0;
    }
    int error = units_parse_time(text, NS_PER_S, &ns);
    if (error == 0)
        *seconds = ns / NS_PER_S;
    return error;
}

/* strptime() takes what is no day for one, such as the 31st of February. */
static bool is_date(const struct tm *read, time_t seconds)
{
    struct tm date;

    return gmtime_r(&seconds, &date) != NULL && date.tm_mday == read->tm_mday &&
           date.tm_mon == read->tm_mon && date.tm_hour == read->tm_hour;
}

static int parse_date(const char *text, uint32_t *time_s)
{
    static const char *const forms[] = { "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M",
                                         "%Y-%m-%dT%H:%M", "%Y-%m-%d" };

    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        struct tm date = { 0 };
        const char *end = strptime(text, forms[i], &date);
        if (end == NULL || (*end != '\0' && strcmp(end, "Z") != 0))
            continue;
        struct tm read = date;
        time_t seconds = timegm(&date);
        if (!is_date(&read, seconds))
            return -EINVAL;
        if (seconds < 0 || seconds > UINT32_MAX)
            return -ERANGE;
        *time_s = (uint32_t)seconds;
        return 0;
    }
    return -EINVAL;
}

int query_time_parse(const char *text, uint32_t now_s, uint32_t *time_s)
{
    uint64_t ago_s = 0;
    int error = 0;

    if (text[0] != '-' && strcmp(text, "now") != 0)
        return parse_date(text, time_s);
    if (text[0] == '-')
        error = parse_ago(text + 1, &ago_s);
    if (error < 0)
        return error;
    if (ago_s > now_s)
        return -ERANGE;
    *time_s = now_s - (uint32_t)ago_s;
    return 0;
}

void query_time_whole_hours(uint32_t from_s, uint32_t to_s, uint32_t *first_s, uint32_t *last_s)
{
    uint64_t first = ((uint64_t)from_s + SECONDS_OF_AN_HOUR - 1) / SECONDS_OF_AN_HOUR;
    uint64_t last = to_s / SECONDS_OF_AN_HOUR;

    *first_s = (uint32_t)(first * SECONDS_OF_AN_HOUR);
    *last_s = (uint32_t)((last > first ? last : first) * SECONDS_OF_AN_HOUR);
}
