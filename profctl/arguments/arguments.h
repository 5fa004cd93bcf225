/* Parses the command line: the options of profctl and its commands become one struct of plain
 * values.
 *
 * Pure: nothing is opened, started or printed here. */
#ifndef PROFD_PROFCTL_ARGUMENTS_H
#define PROFD_PROFCTL_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/sampling_clock.h"
#include "common/trigger.h"
#include "profctl/failure.h"

/* Groups of options. Each command takes some of them. */
enum option_set {
    OPTIONS_GLOBAL = 1 << 0,          /* --socket --json --quiet --help --version */
    OPTIONS_SESSION = 1 << 1,         /* --interval --rate --features … */
    OPTIONS_OUTPUT = 1 << 2,          /* -o --no-symbols --strict --timeout */
    OPTIONS_CAPTURE = 1 << 3,         /* --stop */
    OPTIONS_STATUS = 1 << 4,          /* --watch */
    OPTIONS_REPORT = 1 << 5,          /* --top --all */
    OPTIONS_LAST = 1 << 9,            /* --last */
    OPTIONS_TOP = 1 << 10,            /* --once */
    OPTIONS_TRIGGER = 1 << 6,         /* --trigger --max-files */
    OPTIONS_PATTERN = 1 << 7,         /* --output as a pattern, of start */
    OPTIONS_RUN = 1 << 8,             /* --trigger-output, of run */
    OPTIONS_FILE = 1 << 11,           /* --output, of symbolicate */
    OPTIONS_SELECT = 1 << 12,         /* --pid --process */
    OPTIONS_SELECT_THREADS = 1 << 13, /* --threads, of capture */
    OPTIONS_PAUSE = 1 << 14,          /* --sampling */
    OPTIONS_CALLS = 1 << 17,          /* --calls, of report */
    OPTIONS_CONVERT = 1 << 16,        /* --output --format --thread */
    OPTIONS_DIFF = 1 << 18,           /* --diff --shares --all */
    OPTIONS_MERGE = 1 << 19,          /* --output --host --offset */
    OPTIONS_VIEW = 1 << 20,           /* --port --idle --no-browser */
    OPTIONS_EXPORT = 1 << 21,         /* --every --spool --spool-limit --label --label-file */
    OPTIONS_QUERY = 1 << 22,  /* --from --to --service --host --where --diff --jank --output */
    OPTIONS_GROUPS = 1 << 15, /* --by --sort --measure --units --for --watch --top */
};

#define ARGUMENTS_ALL_TIME UINT64_MAX

/* The values of an option that may be repeated, in order. */
enum { ARGUMENTS_MAX_TEXTS = 16 };
struct argument_texts {
    const char *texts[ARGUMENTS_MAX_TEXTS];
    size_t count;
};

struct arguments {
    const char *socket; /* NULL: not given; all strings point into argv */
    bool json, quiet, help, version;

    uint64_t interval_ns;
    enum sampling_clock clock;
    uint64_t duration_ms;               /* 0: until stopped */
    uint64_t features;                  /* bits, enum feature */
    uint64_t memory_limit_bytes;        /* 0: profd's default */
    uint64_t allocation_interval_bytes; /* 0: the default */
    const char *threads;                /* filters, comma-separated; "": all */

    struct trigger triggers[TRIGGERS_MAX];
    size_t trigger_count;
    const char
        *pattern; /* file name pattern of the captures that triggers write; NULL: the default */
    uint64_t max_files;
    uint64_t trigger_last_ms; /* how far back these captures reach; 0: not given; or
                               * ARGUMENTS_ALL_TIME */

    const char *output; /* NULL: the default */
    bool no_symbols, strict, stop;
    bool debuginfod; /* symbols may come from servers */
    uint64_t timeout_ms;
    const char *pids, *processes, *only_threads; /* of capture; comma-separated; NULL: all */
    uint64_t last_ms; /* only what was recorded in the last LAST_MS; 0: everything */

    bool watch, once;
    const char *process_order; /* of top; NULL: not given */
    bool sampling;             /* of pause and resume: sampling only */

    uint64_t top;
    bool all;
    bool calls;                         /* of report: show calls that took long */
    bool by_process;                    /* of report: show processes by program */
    bool missing_symbols;               /* of report: show which code has no names, and why */
    bool tree, callers, fold_recursion; /* of report: show a tree of calls, or of callers */
    const char *table;                  /* of report: what its rows are; NULL: not given */
    bool no_pager;                      /* of report: print directly to the terminal */
    const char *before;                 /* the profile to compare with; NULL: none … */
    bool shares;                        /* … by shares of CPU time */

    unsigned by, order; /* enum group_rows_by, enum group_rows_order */
    uint32_t measures;  /* enum group_needs, without the next */
    bool units;
    uint64_t period_ms; /* how long groups are measured, if they were not yet */
    uint64_t every_ms;  /* 0: once */
    const char *filter; /* see common/groups_filter.h; NULL: all */
    const char *alert;  /* see ipc/groups/group_alert.h; NULL: none */

    const char *converted, *format; /* of convert: output file and format; NULL: not given */
    const char *thread;             /* of convert: the thread to convert; NULL: all */

    const char *merged, *hosts,
        *offsets; /* of merge: output file, and comma-separated lists; NULL: not given */

    uint64_t port;    /* of view; 0: any free port */
    uint64_t idle_ms; /* of view: it exits after this time without a request */
    bool no_browser;
    bool open;                          /* of run: open the capture in the viewer */
    bool merge_exited, no_merge_exited; /* of convert: merge all exited processes, or none */

    uint64_t export_every_ms;     /* of export: how long a "minute" is */
    const char *spool;            /* … where undelivered data is kept; NULL: the default */
    uint64_t spool_limit_bytes;   /* … and the limit of its size */
    struct argument_texts labels; /* … KEY=VALUE, comma-separated */
    const char *label_file;       /* … a file of the Kubernetes downward API; NULL: none */
    uint64_t server_timeout_ms;   /* of export and query; 0: the default */
    const char *from, *to;        /* of query: NULL: not given */
    const char *service, *host;   /* … NULL: all */
    struct argument_texts wheres; /* … KEY=VALUE */
    bool jank;                    /* … instead of CPU time */
    const char *compared; /* … the profile to compare the second operand with; NULL: none */
    const char *shown, *shown_before; /* names to show for the profiles; NULL: their file names */
    const char *query_output;         /* … NULL: print a report */

    char **operands; /* words that are not options, in order; a part of argv */
    int operand_count;
    char *const *command_line; /* all of argv, as given; NULL: not needed */
};

void arguments_init(struct arguments *arguments);

/* Parses the options in SETS among the COUNT words in WORDS (without the program's name). Options
 * end at "--", and with STOP_AT_OPERAND also at the first word that is not an option. WORDS is
 * reordered so that operands come last. COMMAND is named in errors; NULL: profctl itself. Returns
 * false with a usage error in FAILURE. */
bool arguments_parse(struct arguments *arguments, int count, char **words, unsigned sets,
                     bool stop_at_operand, const char *command, struct failure *failure);

/* Prints the help for the options in SETS, one line each. */
void arguments_print_options(FILE *out, unsigned sets);

#endif
