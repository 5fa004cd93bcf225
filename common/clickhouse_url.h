/* The address of a ClickHouse server, and how long data are kept there:
 *
 *     clickhouse://[USER[:PASSWORD-FILE]@]HOST[:PORT]/DATABASE[?cluster=NAME&days=N&hour_days=N]
 *     clickhouse+https://…[?ca_file=PATH&…]
 *
 * The password is in a file, so that it does not show in lists of processes. Pure. */
#ifndef PROFD_COMMON_CLICKHOUSE_URL_H
#define PROFD_COMMON_CLICKHOUSE_URL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    CLICKHOUSE_NAME_BYTES = 64, /* of names of the server: letters, digits and _ */
    CLICKHOUSE_HOST_BYTES = 256,
    CLICKHOUSE_PROBLEM_BYTES = 160,
};

struct clickhouse_url {
    char host[CLICKHOUSE_HOST_BYTES]; /* an IPv6 address keeps its brackets */
    uint16_t port;                    /* 8123 where none is given, and 8443 over TLS */
    bool is_secure;                   /* over TLS */
    char ca_file[PATH_MAX];           /* "": the machine's certificates */
    char database[CLICKHOUSE_NAME_BYTES];
    char user[CLICKHOUSE_NAME_BYTES];    /* "": the server's default */
    char password_file[PATH_MAX];        /* "": none */
    char cluster[CLICKHOUSE_NAME_BYTES]; /* "": one server alone */
    unsigned days;                       /* that minutes are kept */
    unsigned hour_days;                  /* that sums by hour, and stacks, are kept */
};

/* Whether TEXT begins as such a URL does. */
bool clickhouse_url_is_one(const char *text);

/* Returns 0, or -EINVAL with what is wrong in PROBLEM, which quotes nothing of TEXT except
 * names. */
int clickhouse_url_parse(const char *text, struct clickhouse_url *url,
                         char problem[CLICKHOUSE_PROBLEM_BYTES]);

#endif
