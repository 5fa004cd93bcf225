/* The server that `profctl export URL` names: which kind it is, and opening it. One thread. */
#ifndef PROFD_PROFCTL_EXPORT_SERVER_H
#define PROFD_PROFCTL_EXPORT_SERVER_H

#include "profctl/export/clickhouse_target.h"
#include "profctl/push/push_target.h"

enum { EXPORT_SERVER_NAME_BYTES = 400 };

/* A zeroed struct is none. */
struct export_server {
    char name[EXPORT_SERVER_NAME_BYTES]; /* as people are told of it */
    const char *folder;                  /* of its spool, beside those of servers of other kinds */
    struct clickhouse *clickhouse;
    struct clickhouse_target rows;
    struct push_target *push;
};

/* Opens no connection yet. HOST, borrowed, is the name that rows have, and may be filled later; a
 * server that takes longer than PATIENCE_MS (0: 20 s) for an answer is given up. False with FAILURE
 * filled; SERVER needs export_server_close() in any case. */
bool export_server_open(struct export_server *server, const char *url, const char *host,
                        bool (*should_stop)(void), uint64_t patience_ms, struct failure *failure);
void export_server_close(struct export_server *server);

/* Of an open one. */
struct export_target export_server_target(struct export_server *server);

#endif
