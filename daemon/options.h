/* Parses profd's command line into a struct, and prints the help. Parsing is pure. */
#ifndef PROFD_DAEMON_OPTIONS_H
#define PROFD_DAEMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "daemon/always_on_triggers.h"
#include "daemon/log.h"
#include "daemon/metrics/metrics_address.h"

enum options_action { OPTIONS_RUN, OPTIONS_SHOW_HELP, OPTIONS_SHOW_VERSION };

enum {
    OPTIONS_ERROR_TEXT = 256,
    /* The smallest limit with which a few children can record at all: LEASE_LEDGER_MIN_UNITS. */
    OPTIONS_MIN_MEMORY_MEGABYTES = 1,
    OPTIONS_DEFAULT_MEMORY_MEGABYTES = 256,
    OPTIONS_MAX_KEEP_SESSION_S = 3600,
};

#define OPTIONS_MAX_MEMORY_BYTES (64ULL << 30) /* LEASE_LEDGER_MAX_UNITS */

struct options {
    enum options_action action;
    const char *socket; /* NULL: the default place (socket_path()) */
    uint64_t memory_limit_bytes;
    uint64_t always_interval_ns;        /* of the session that is always on; 0: there is none */
    uint64_t always_features;           /* likewise; 0: the usual ones */
    struct always_on_triggers triggers; /* of the session that is always on */
    uint32_t group_needs;               /* enum group_needs: always measured */
    const char *metrics;                /* where they are served, as given; NULL: nowhere */
    struct metrics_address metrics_address;
    enum log_level log_level;
    uint64_t keep_session_ns;  /* how long SIGTERM leaves the session; 0: not at all */
    const char *control_group; /* whose members may control profd too; NULL: none */
    bool takes_all_agents;     /* of every user; else only its own, root's, and what it runs */
    int private_fd;            /* a socket whose other end is the only client; -1: none */
    const char *config;        /* file of programs to run; NULL: none */
    const char *export_url;    /* where what is recorded goes; NULL: nowhere */
    char **command;            /* NULL-terminated, of argv; NULL: none */
};

/* Returns 0, or -EINVAL with one line in ERROR_TEXT. *OUT points into ARGV. */
int options_parse(int argc, char **argv, struct options *out, char error_text[OPTIONS_ERROR_TEXT]);

void options_print_help(FILE *out);

#endif
