/* The address of a server that accepts profiles in a standard format:
 *
 *     KIND+http[s]://HOST[:PORT][/PREFIX][?token_file=PATH&ca_file=PATH&tenant=NAME]
 *
 * KIND is pyroscope, parca or otlp; ca_file requires https. Tokens are in files, so that they do
 * not show in lists of processes. Pure. */
#ifndef PROFD_COMMON_PUSH_URL_H
#define PROFD_COMMON_PUSH_URL_H

#include <limits.h>
#include <stdbool.h>

enum push_kind { PUSH_PYROSCOPE, PUSH_PARCA, PUSH_OTLP };

enum {
    PUSH_SERVER_BYTES = 300,
    PUSH_ADDRESS_BYTES = 1024,
    PUSH_TENANT_BYTES = 128,
    PUSH_PROBLEM_BYTES = 160,
};

struct push_url {
    enum push_kind kind;
    bool is_secure;                   /* over TLS */
    char server[PUSH_SERVER_BYTES];   /* "HOST:PORT" */
    char address[PUSH_ADDRESS_BYTES]; /* of what takes profiles there, http:// or https:// */
    char token_file[PATH_MAX];        /* "": none */
    char ca_file[PATH_MAX];           /* "": the machine's certificates */
    char tenant[PUSH_TENANT_BYTES];   /* "": none */
};

/* Whether TEXT begins as such a URL does. */
bool push_url_is_one(const char *text);

/* "pyroscope", "parca" or "otlp". */
const char *push_kind_name(enum push_kind kind);

/* 0, or -EINVAL with what is wrong in PROBLEM. */
int push_url_parse(const char *text, struct push_url *url, char problem[PUSH_PROBLEM_BYTES]);

#endif
