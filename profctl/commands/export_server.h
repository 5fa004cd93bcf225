/* The server that `profctl export URL` names: decides its kind and opens it. One thread. */
#ifndef PROFD_PROFCTL_EXPORT_SERVER_H
#define PROFD_PROFCTL_EXPORT_SERVER_H

#include "profctl/export/clickhouse_target.h"
#include "profctl/push/push_target.h"

enum { EXPORT_SERVER_NAME_BYTES = 400 };

/* A zeroed struct is closed. */
struct export_server {
    char name[EXPORT_SERVER_NAME_BYTES]; /* for messages */
    const char *folder; /* name of its spool folder, next to those of other kinds of server */
    struct clickhouse *clickhouse;
    struct clickhouse_target rows;
    struct push_target *push;
};

/* Prepares the server; opens no connection yet. HOST (borrowed) is the host name in the rows, and
 * may be filled in later. A request fails if the server takes longer than PATIENCE_MS (0: 20 s) to
 * answer. Returns false with FAILURE filled; SERVER needs export_server_close() in any case. */
bool export_server_open(struct export_server *server, const char *url, const char *host,
                        bool (*should_stop)(void), uint64_t patience_ms, struct failure *failure);
void export_server_close(struct export_server *server);

/* Returns the target of an open server. */
struct export_target export_server_target(struct export_server *server);

#endif
