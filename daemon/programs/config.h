/* The file of `profd --config`: the programs that profd runs, and what it does when they end.
 *
 *     { "programs": [
 *         { "name": "web", "command": ["./server", "--port", "80"],
 *           "environment": { "LANG": "C" }, "directory": "/srv/web",
 *           "restart": "on-failure", "stop_signal": "SIGINT", "stop_timeout_ms": 10000 } ] }
 *
 * name and command are needed. Beside "programs", or in place of it, "always": "19Hz" is --always,
 * "always_features": "stacks,cpu" is --always-features, "export": "clickhouse://…", or an object
 * with that as its "url", is --export, and "triggers":
 * ["signal"] and "trigger_output": "…" are --trigger and --trigger-output. Pure but for
 * config_load(). */
#ifndef PROFD_DAEMON_CONFIG_H
#define PROFD_DAEMON_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/always_on_triggers.h"

#define RESTART_POLICIES(X)                                                                        \
    X(NEVER, "never")                                                                              \
    X(ON_FAILURE, "on-failure") /* a status other than 0, or a signal */                           \
    X(ALWAYS, "always")

enum restart_policy {
#define X(name, text) RESTART_##name,
    RESTART_POLICIES(X)
#undef X
};

enum {
    CONFIG_ERROR_TEXT = 512,
    CONFIG_MAX_BYTES = 1024 * 1024,
    CONFIG_MAX_PROGRAMS = 1000,
    CONFIG_MAX_STRINGS = 4096, /* in a command or an environment */
    CONFIG_MAX_NAME_BYTES = 64,
    CONFIG_USUAL_STOP_TIMEOUT_MS = 5000,
    CONFIG_MAX_STOP_TIMEOUT_MS = 3600 * 1000,
};

struct program_config {
    char *name;         /* unique */
    char **command;     /* NULL-terminated, at least one */
    char **environment; /* "NAME=value", NULL-terminated; added to profd's own */
    char *directory;    /* NULL: profd's own */
    enum restart_policy restart;
    int stop_signal;
    uint64_t stop_timeout_ms; /* until SIGKILL */
};

struct export_config {
    char *url;      /* NULL: not said */
    char **options; /* for profctl export, one word each, NULL-terminated; NULL: none */
};

struct config {
    struct program_config *programs;
    size_t count;
    uint64_t always_interval_ns; /* 0: not said */
    uint64_t always_features;    /* 0: not said */
    struct export_config export;
    struct always_on_triggers triggers; /* of the session that is always on */
    char *trigger_output;               /* their pattern; NULL: not given */
};

/* Parses TEXT, the content of FILE. Returns 0 with *OUT, which is to be freed; or -EINVAL or
 * -ENOMEM with one line in ERROR_TEXT, such as `FILE:LINE: programs[1].restart: …`. */
int config_parse(const char *text, size_t bytes, const char *file, struct config *out,
                 char error_text[CONFIG_ERROR_TEXT]);

/* Reads and parses FILE, without waiting for ever if it is a pipe (common/short_file.h). */
int config_load(const char *file, struct config *out, char error_text[CONFIG_ERROR_TEXT]);

/* Safe on a zeroed struct. */
void config_free(struct config *config);

#endif
