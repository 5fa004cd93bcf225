#include "common/clickhouse_url.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "common/url_parts.h"

enum {
    USUAL_PORT = 8123,
    SECURE_PORT = 8443,
    USUAL_DAYS = 7,
    USUAL_HOUR_DAYS = 90,
    MAX_DAYS = 10000
};

static const char plain_scheme[] = "clickhouse://", secure_scheme[] = "clickhouse+https://";

static int refuse_url(char *problem, const char *text)
{
    snprintf(problem, CLICKHOUSE_PROBLEM_BYTES, "%s", text);
    return -EINVAL;
}

static bool is_valid_name(const char *text, size_t length)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

    return length > 0 && length < CLICKHOUSE_NAME_BYTES && strspn(text, letters) >= length &&
           (text[0] < '0' || text[0] > '9');
}

static void copy_text(char *out, const char *text, size_t length)
{
    memcpy(out, text, length);
    out[length] = '\0';
}

/* "USER" or "USER:PASSWORD-FILE". */
static int read_user(const char *text, size_t length, struct clickhouse_url *url, char *problem)
{
    const char *colon = memchr(text, ':', length);
    size_t user_length = colon != NULL ? (size_t)(colon - text) : length;

    if (!is_valid_name(text, user_length))
        return refuse_url(problem, "the user may contain only letters, digits and _");
    copy_text(url->user, text, user_length);
    if (colon == NULL)
        return 0;
    size_t file_length = length - user_length - 1;
    if (file_length == 0 || file_length >= sizeof(url->password_file))
        return refuse_url(problem, "USER: must be followed by the name of a password file");
    copy_text(url->password_file, colon + 1, file_length);
    return 0;
}

static int read_host(const char *text, size_t length, struct clickhouse_url *url, char *problem)
{
    const char *wrong;
    size_t host;

    if (url_read_server(text, length, sizeof(url->host), &host, &url->port, &wrong) < 0)
        return refuse_url(problem, wrong);
    copy_text(url->host, text, host);
    return 0;
}

static int read_days(const char *text, size_t length, unsigned *days, char *problem)
{
    char number[8] = "";
    uint64_t value;

    if (length < sizeof(number))
        copy_text(number, text, length);
    if (units_parse_count(number, 1, MAX_DAYS, &value) < 0)
        return refuse_url(problem, "days and hour_days are numbers from 1 to 10000");
    *days = (unsigned)value;
    return 0;
}

static bool is_key(const char *text, const char *equals, const char *key)
{
    return (size_t)(equals - text) == strlen(key) && memcmp(text, key, strlen(key)) == 0;
}

static int read_cluster(const char *text, size_t length, struct clickhouse_url *url, char *problem)
{
    if (!is_valid_name(text, length))
        return refuse_url(problem, "the cluster may contain only letters, digits and _");
    copy_text(url->cluster, text, length);
    return 0;
}

static int read_ca_file(const char *text, size_t length, struct clickhouse_url *url, char *problem)
{
    if (!url->is_secure)
        return refuse_url(problem, "ca_file requires clickhouse+https://");
    if (length == 0 || length >= sizeof(url->ca_file))
        return refuse_url(problem,
                          "ca_file= must be followed by the name of a file with certificates");
    copy_text(url->ca_file, text, length);
    return 0;
}

struct reading {
    struct clickhouse_url *url;
    char *problem;
};

/* "cluster=NAME", "days=N", "hour_days=N" or "ca_file=PATH". */
static int read_parameter(void *context, const char *text, size_t length)
{
    const struct reading *reading = context;
    struct clickhouse_url *url = reading->url;
    char *problem = reading->problem;
    const char *equals = memchr(text, '=', length);
    const char *value = equals != NULL ? equals + 1 : text;
    size_t value_length = length - (size_t)(value - text);

    if (equals != NULL && is_key(text, equals, "days"))
        return read_days(value, value_length, &url->days, problem);
    if (equals != NULL && is_key(text, equals, "hour_days"))
        return read_days(value, value_length, &url->hour_days, problem);
    if (equals != NULL && is_key(text, equals, "cluster"))
        return read_cluster(value, value_length, url, problem);
    if (equals != NULL && is_key(text, equals, "ca_file"))
        return read_ca_file(value, value_length, url, problem);
    return refuse_url(problem, "the parameters after ? are cluster=NAME, days=N, hour_days=N and "
                               "ca_file=PATH, with & between");
}

/* What stands behind the scheme of TEXT; NULL: it has none of ours. */
static const char *read_scheme(const char *text, struct clickhouse_url *url)
{
    size_t plain = strlen(plain_scheme), secure = strlen(secure_scheme);

    url->is_secure = strncmp(text, secure_scheme, secure) == 0;
    url->port = url->is_secure ? SECURE_PORT : USUAL_PORT;
    if (url->is_secure)
        return text + secure;
    return strncmp(text, plain_scheme, plain) == 0 ? text + plain : NULL;
}

bool clickhouse_url_is_one(const char *text)
{
    struct clickhouse_url url;

    return read_scheme(text, &url) != NULL;
}

int clickhouse_url_parse(const char *text, struct clickhouse_url *url,
                         char problem[CLICKHOUSE_PROBLEM_BYTES])
{
    *url = (struct clickhouse_url){ .days = USUAL_DAYS, .hour_days = USUAL_HOUR_DAYS };
    text = read_scheme(text, url);
    if (text == NULL)
        return refuse_url(problem, "it does not begin with clickhouse:// or clickhouse+https://");
    size_t length = strcspn(text, "?");
    const char *at = memrchr(text, '@', length); /* the password's file may have slashes and @ */
    const char *host = at != NULL ? at + 1 : text;
    const char *slash = memchr(host, '/', length - (size_t)(host - text));
    int error = at != NULL ? read_user(text, (size_t)(at - text), url, problem) : 0;
    if (error < 0)
        return error;
    if (slash == NULL)
        return refuse_url(problem, "it has no database: clickhouse://HOST/DATABASE");
    error = read_host(host, (size_t)(slash - host), url, problem);
    if (error < 0)
        return error;
    size_t database_length = length - (size_t)(slash + 1 - text);
    if (!is_valid_name(slash + 1, database_length))
        return refuse_url(problem, "the database may contain only letters, digits and _");
    copy_text(url->database, slash + 1, database_length);
    return url_read_parameters(text[length] == '?' ? text + length + 1 : "", read_parameter,
                               &(struct reading){ url, problem });
}
