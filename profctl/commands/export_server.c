#include "profctl/commands/export_server.h"

#include <stdio.h>

#include "profctl/commands/open_secrets.h"

static bool refuse_address(const char *problem, struct failure *failure)
{
    failure_set(failure, EXIT_CODE_USAGE, "cannot export to that address: %s", problem);
    return false;
}

static bool open_push(struct export_server *server, const char *text, bool (*should_stop)(void),
                      uint64_t patience_ms, struct failure *failure)
{
    struct push_url url;
    char problem[PUSH_PROBLEM_BYTES];

    if (push_url_parse(text, &url, problem) < 0)
        return refuse_address(problem, failure);
    server->folder = url.kind == PUSH_PYROSCOPE ? "spool-pyroscope"
                     : url.kind == PUSH_PARCA   ? "spool-parca"
                                                : "spool-otlp";
    snprintf(server->name, sizeof(server->name), "%s", url.server);
    if (!push_target_open(&url, should_stop, patience_ms, &server->push, failure))
        return false;
    open_secrets_tell_token(&url);
    return true;
}

static bool open_clickhouse(struct export_server *server, const char *text, const char *host,
                            bool (*should_stop)(void), uint64_t patience_ms,
                            struct failure *failure)
{
    struct clickhouse_url url;
    char problem[CLICKHOUSE_PROBLEM_BYTES];

    if (clickhouse_url_parse(text, &url, problem) < 0)
        return refuse_address(problem, failure);
    server->folder = "spool";
    snprintf(server->name, sizeof(server->name), "%s, database %s", url.host, url.database);
    if (!clickhouse_open(&url, should_stop, &server->clickhouse, failure))
        return false;
    open_secrets_tell_password(&url);
    if (patience_ms != 0)
        clickhouse_set_patience(server->clickhouse, patience_ms);
    clickhouse_target_init(&server->rows, server->clickhouse, host);
    return true;
}

bool export_server_open(struct export_server *server, const char *url, const char *host,
                        bool (*should_stop)(void), uint64_t patience_ms, struct failure *failure)
{
    return push_url_is_one(url)
               ? open_push(server, url, should_stop, patience_ms, failure)
               : open_clickhouse(server, url, host, should_stop, patience_ms, failure);
}

void export_server_close(struct export_server *server)
{
    push_target_close(server->push);
    if (server->clickhouse != NULL)
        clickhouse_target_fini(&server->rows);
    clickhouse_close(server->clickhouse);
}

struct export_target export_server_target(struct export_server *server)
{
    return server->push != NULL ? push_target_table(server->push)
                                : clickhouse_target_table(&server->rows);
}
