#include "common/export_terms.h"

#include "common/clickhouse_url.h"
#include "common/push_url.h"

_Static_assert((int)EXPORT_PROBLEM_BYTES >= (int)CLICKHOUSE_PROBLEM_BYTES &&
                   (int)EXPORT_PROBLEM_BYTES >= (int)PUSH_PROBLEM_BYTES,
               "what is wrong with a URL of any kind has room");

bool export_url_is_known(const char *url)
{
    return push_url_is_one(url) || clickhouse_url_is_one(url);
}

bool export_url_check(const char *url, char problem[EXPORT_PROBLEM_BYTES])
{
    struct push_url push;
    struct clickhouse_url clickhouse;

    return push_url_is_one(url) ? push_url_parse(url, &push, problem) == 0
                                : clickhouse_url_parse(url, &clickhouse, problem) == 0;
}
