#include "common/push_url.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/url_parts.h"

static const struct server_kind {
    const char *name;
    enum push_kind kind;
    uint16_t port;
    const char *path;
} kinds[] = {
    { "pyroscope", PUSH_PYROSCOPE, 4040, "/push.v1.PusherService/Push" },
    { "parca", PUSH_PARCA, 7070, "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw" },
    { "otlp", PUSH_OTLP, 4318, "/v1development/profiles" },
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]), HTTPS_PORT = 443, PORT_BYTES = 6 };

static const char plain_scheme[] = "+http://", secure_scheme[] = "+https://";

static int refuse_url(char *problem, const char *text)
{
    snprintf(problem, PUSH_PROBLEM_BYTES, "%s", text);
    return -EINVAL;
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* The kind that TEXT begins with, and what stands behind the scheme; NULL: it is none. */
static const struct server_kind *kind_of(const char *text, bool *is_secure, const char **rest)
{
    for (size_t i = 0; i < KINDS; i++) {
        const char *scheme = text + strlen(kinds[i].name);
        if (!begins_with(text, kinds[i].name))
            continue;
        *is_secure = begins_with(scheme, secure_scheme);
        if (!*is_secure && !begins_with(scheme, plain_scheme))
            continue;
        *rest = scheme + strlen(*is_secure ? secure_scheme : plain_scheme);
        return &kinds[i];
    }
    return NULL;
}

bool push_url_is_one(const char *text)
{
    const char *rest;
    bool is_secure;

    return kind_of(text, &is_secure, &rest) != NULL;
}

const char *push_kind_name(enum push_kind kind)
{
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].kind == kind)
            return kinds[i].name;
    return "";
}

/* PORT is what is meant where none is given. */
static int read_server(const char *text, size_t length, uint16_t port, struct push_url *url,
                       char *problem)
{
    const char *wrong;
    size_t host;

    if (url_read_server(text, length, sizeof(url->server) - PORT_BYTES, &host, &port, &wrong) < 0)
        return refuse_url(problem, wrong);
    snprintf(url->server, sizeof(url->server), "%.*s:%u", (int)host, text, port);
    return 0;
}

struct reading {
    struct push_url *url;
    char *problem;
};

static int read_parameter(void *context, const char *text, size_t length)
{
    const struct reading *reading = context;
    struct push_url *url = reading->url;
    const struct {
        const char *key;
        char *value;
        size_t bytes;
    } known[] = {
        { "token_file=", url->token_file, sizeof(url->token_file) },
        { "ca_file=", url->ca_file, sizeof(url->ca_file) },
        { "tenant=", url->tenant, sizeof(url->tenant) },
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        size_t key = strlen(known[i].key);
        if (length <= key || memcmp(text, known[i].key, key) != 0)
            continue;
        if (length - key >= known[i].bytes)
            return refuse_url(reading->problem, "a query parameter is too long");
        memcpy(known[i].value, text + key, length - key);
        known[i].value[length - key] = '\0';
        return 0;
    }
    return refuse_url(
        reading->problem,
        "the parameters after ? are token_file=PATH, ca_file=PATH and tenant=NAME, with & "
        "between");
}

/* Bytes that stand in an address, and in a header, as they are. */
static bool is_plain(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] <= ' ' || text[i] > '~' || strchr("\"<>\\^`{|}#", text[i]) != NULL)
            return false;
    return true;
}

int push_url_parse(const char *text, struct push_url *url, char problem[PUSH_PROBLEM_BYTES])
{
    const char *rest;
    bool is_secure = false;
    const struct server_kind *kind = kind_of(text, &is_secure, &rest);

    *url = (struct push_url){ .is_secure = is_secure };
    if (kind == NULL)
        return refuse_url(problem,
                          "it does not begin with pyroscope, parca or otlp, and +http:// or "
                          "+https:// after that");
    url->kind = kind->kind;
    size_t length = strcspn(rest, "?"), server = strcspn(rest, "/?"), prefix = length - server;
    if (!is_plain(rest, length))
        return refuse_url(problem, "it contains characters that are not allowed in an address");
    int error = read_server(rest, server, is_secure ? HTTPS_PORT : kind->port, url, problem);
    if (error == 0)
        error = url_read_parameters(rest[length] == '?' ? rest + length + 1 : "", read_parameter,
                                    &(struct reading){ url, problem });
    if (error < 0)
        return error;
    if (url->ca_file[0] != '\0' && !is_secure) {
        snprintf(problem, PUSH_PROBLEM_BYTES, "ca_file requires %s+https://", kind->name);
        return -EINVAL;
    }
    if (!is_plain(url->tenant, strlen(url->tenant)))
        return refuse_url(problem, "the tenant has characters that cannot stand in a header");
    while (prefix > 0 && rest[server + prefix - 1] == '/')
        prefix--;
    int bytes = snprintf(url->address, sizeof(url->address), "http%s://%s%.*s%s",
                         is_secure ? "s" : "", url->server, (int)prefix, rest + server, kind->path);
    return bytes < (int)sizeof(url->address) ? 0 : refuse_url(problem, "it is too long");
}
