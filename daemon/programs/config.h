/* The file of `profd --config`: the programs that profd runs, and what to do when they end.
 *
 *     { "programs": [
 *         { "name": "web", "command": ["./server", "--port", "80"],
 *           "environment": { "LANG": "C" }, "directory": "/srv/web",
 *           "restart": "on-failure", "stop_signal": "SIGINT", "stop_timeout_ms": 10000 } ] }
 *
 * name and command are needed. Beside "programs", or in place of it, "always": "19Hz" is --always,
 * "export": "clickhouse://…", or an object with that as its "url", is --export, and "triggers":
 * ["signal"] and "trigger_output": "…" are --trigger and --trigger-output. Pure but for
 * config_load(). */
#ifndef PROFD_DAEMON_CONFIG_H
#define PROFD_DAEMON_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/always_on_triggers.h"

#define RESTART_POLICIES(X)                                                                        \
    X(NEVER, "never")                                                                              \
    X(ON_FAILURE, "on-failure") /* also when a signal ended it */                                  \
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
    char *name;         /* unlike all others' */
    char **command;     /* NULL-terminated, at least one */
    char **environment; /* "NAME=value", NULL-terminated: added to profd's own */
    char *directory;    /* NULL: profd's own */
    enum restart_policy restart;
    int stop_signal;
    uint64_t stop_timeout_ms; /* until SIGKILL */
};

struct export_config {
    char *url;      /* NULL: not said */
    char **options; /* of profctl export, as words, NULL-terminated; NULL: none */
};

struct config {
    struct program_config *programs;
    size_t count;
    uint64_t always_interval_ns; /* 0: not said */
    struct export_config export;
    struct always_on_triggers triggers; /* of the session that is always on */
    char *trigger_output;               /* of theirs; NULL: not said */
};

/* TEXT is the content of FILE. 0 with *OUT to be freed; -EINVAL with one line in ERROR_TEXT, as
 * `FILE:LINE: programs[1].restart: …`; -ENOMEM with a line too. */
int config_parse(const char *text, size_t bytes, const char *file, struct config *out,
                 char error_text[CONFIG_ERROR_TEXT]);

/* The same for the file itself, which is not waited for without end (common/short_file.h). */
int config_load(const char *file, struct config *out, char error_text[CONFIG_ERROR_TEXT]);

/* Safe on a zeroed struct. */
void config_free(struct config *config);

#endif
