#include "profctl/commands/open_secrets.h"

#include <stdio.h>

#include "common/url_parts.h"
#include "profctl/failure.h"

/* SCHEME begins a URL. */
static void tell_secret(const char *what, const char *server, const char *scheme)
{
    if (!url_is_loopback(server))
        say("%s is sent to %s without TLS; use %s+https://", what, server, scheme);
}

void open_secrets_tell_password(const struct clickhouse_url *url)
{
    char what[sizeof(url->user) + 32];

    snprintf(what, sizeof(what), "the password of %s", url->user);
    if (url->password_file[0] != '\0' && !url->is_secure)
        tell_secret(what, url->host, "clickhouse");
}

void open_secrets_tell_token(const struct push_url *url)
{
    if (url->token_file[0] != '\0' && !url->is_secure)
        tell_secret("the token", url->server, push_kind_name(url->kind));
}
