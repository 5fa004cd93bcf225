#include "daemon/options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer/lease_ledger.h"
#include "common/export_terms.h"
#include "common/features.h"
#include "common/option_words.h"
#include "common/time_units.h"
#include "common/units.h"
#include "ipc/messages.h"

enum option_kind {
    OPTION_SOCKET,
    OPTION_CONFIG,
    OPTION_MEMORY_LIMIT,
    OPTION_ALWAYS,
    OPTION_ALWAYS_FEATURES,
    OPTION_TRIGGER,
    OPTION_TRIGGER_OUTPUT,
    OPTION_EXPORT,
    OPTION_GROUPS,
    OPTION_METRICS,
    OPTION_KEEP_SESSION,
    OPTION_CONTROL_GROUP,
    OPTION_AGENTS,
    OPTION_LOG_LEVEL,
    OPTION_PRIVATE,
    OPTION_HELP,
    OPTION_VERSION,
};

enum { PROFD = 1 }; /* there is one set of options */

static const struct option_row rows[] = {
    { PROFD, "socket", 0, "PATH", OPTION_SOCKET, 0,
      "listen at PATH (default: $PROFD_SOCKET, else\n"
      "$XDG_RUNTIME_DIR/profd.sock, else /tmp/profd-UID/profd.sock)" },
    { PROFD, "config", 0, "FILE", OPTION_CONFIG, 0,
      "run the programs that FILE lists (profd-config(5)), and restart them as\n"
      "it says" },
    { PROFD, "memory-limit", 0, "SIZE", OPTION_MEMORY_LIMIT, 0,
      "limit the memory for recordings, e.g. 64M or 2G (default: 256M)" },
    { PROFD, "always", 0, "RATE", OPTION_ALWAYS, 0,
      "record all processes all the time, e.g. at 19Hz; profctl can still\n"
      "start another session" },
    { PROFD, "always-features", 0, "LIST", OPTION_ALWAYS_FEATURES, 0,
      "with --always: record these features of profctl start, e.g.\n"
      "stacks,cpu,nativeallocs (default: as there, without allocations)" },
    { PROFD, "trigger", 0, "TRIGGER", OPTION_TRIGGER, 0,
      "with --always: write a capture of the last minute when this happens:\n"
      "signal, exit, SIGUSR2, jank:TIME, delay:TIME, cpu:PERCENT%/TIME or\n"
      "name:NAME; may be repeated" },
    { PROFD, "trigger-output", 0, "PATTERN", OPTION_TRIGGER_OUTPUT, 0,
      "name of the files that triggers write; %p pid, %t time, %e event,\n"
      "%n number (default: " OUTPUT_PATTERN_DEFAULT ")" },
    { PROFD, "export", 0, "URL", OPTION_EXPORT, 0,
      "send what is recorded to a server, as profctl export does, e.g. to\n"
      "clickhouse://HOST/DATABASE or pyroscope+http://HOST; best with --always" },
    { PROFD, "groups", 0, "WHICH", OPTION_GROUPS, 0,
      "none, all or units: performance groups that are always measured; units\n"
      "adds those of single units (default: none, or all with --metrics)" },
    { PROFD, "metrics", 0, "ADDRESS", OPTION_METRICS, 0,
      "serve metrics for Prometheus at PORT (of 127.0.0.1), ADDRESS:PORT, or\n"
      "the path of a Unix socket" },
    { PROFD, "keep-session", 0, "TIME", OPTION_KEEP_SESSION, 0,
      "on SIGTERM, leave the session to the profd that is started next at\n"
      "this socket; it ends when none is started within TIME, e.g. 5m" },
    { PROFD, "control-group", 0, "GROUP", OPTION_CONTROL_GROUP, 0,
      "members of GROUP may control profd, as its own user and root may" },
    { PROFD, "agents", 0, "WHOSE", OPTION_AGENTS, 0,
      "own or all: profile programs that profd did not start if they belong to\n"
      "its own user or root, or to any user (default: own)" },
    { PROFD, "log-level", 0, "LEVEL", OPTION_LOG_LEVEL, 0,
      "error, warn, info or debug (default: info, or warn with COMMAND)" },
    { PROFD, "private", 0, "FD", OPTION_PRIVATE, 0, NULL },
    { PROFD, "help", 0, NULL, OPTION_HELP, 0, "print this help" },
    { PROFD, "version", 0, NULL, OPTION_VERSION, 0, "print the version" },
};

static const struct option_table table = { rows, sizeof(rows) / sizeof(rows[0]), PROFD };

/* --- Values --- */

static int refuse_value(char *error_text, const char *what, const char *name)
{
    snprintf(error_text, OPTIONS_ERROR_TEXT, "%s '%.100s'; try 'profd --help'", what, name);
    return -EINVAL;
}

static int set_memory_limit(struct options *options, const char *value, char *error_text)
{
    uint64_t smallest = (uint64_t)OPTIONS_MIN_MEMORY_MEGABYTES << 20;
    int error = units_parse_size(value, &options->memory_limit_bytes);

    if (error == -EINVAL)
        return refuse_value(error_text, "--memory-limit needs a size like 64M or 1.5G, not", value);
    if (error == 0 && options->memory_limit_bytes < smallest)
        return refuse_value(error_text, "--memory-limit must be at least 1M, not", value);
    if (error < 0 || options->memory_limit_bytes > OPTIONS_MAX_MEMORY_BYTES)
        return refuse_value(error_text, "--memory-limit must be at most 64G, not", value);
    return 0;
}

static int set_always(struct options *options, const char *value, char *error_text)
{
    uint64_t *interval_ns = &options->always_interval_ns;
    int error = units_parse_rate(value, interval_ns);

    if (error == 0 &&
        (*interval_ns < MESSAGE_MIN_INTERVAL_NS || *interval_ns > MESSAGE_MAX_INTERVAL_NS))
        error = -ERANGE;
    if (error == -EINVAL)
        return refuse_value(error_text, "--always needs a rate like 19Hz, not", value);
    return error < 0 ? refuse_value(error_text,
                                    "--always must be between 1/3600Hz and 100000Hz, not", value)
                     : 0;
}

static int set_always_features(struct options *options, const char *value, char *error_text)
{
    char unknown[FEATURE_WORD_BYTES], refusal[FEATURE_REFUSAL_BYTES];

    if (features_parse(value, &options->always_features, unknown) == 0)
        return 0;
    snprintf(error_text, OPTIONS_ERROR_TEXT, "--always-features: %s",
             features_refuse(unknown, refusal));
    return -EINVAL;
}

static int set_trigger(struct options *options, const char *value, char *error_text)
{
    const char *refusal;

    if (always_on_triggers_add(&options->triggers, value, &refusal) == 0)
        return 0;
    snprintf(error_text, OPTIONS_ERROR_TEXT, "--trigger '%.100s' %s", value, refusal);
    return -EINVAL;
}

static int set_export(struct options *options, const char *value, char *error_text)
{
    char problem[EXPORT_PROBLEM_BYTES];

    options->export_url = value;
    if (!export_url_is_known(value))
        return refuse_value(error_text,
                            "--export needs a URL like clickhouse://HOST/DATABASE or "
                            "pyroscope+http://HOST, not",
                            value);
    if (export_url_check(value, problem))
        return 0;
    snprintf(error_text, OPTIONS_ERROR_TEXT, "--export '%.80s': %s", value, problem);
    return -EINVAL;
}

static int set_keep_session(struct options *options, const char *value, char *error_text)
{
    int error = units_parse_time(value, NS_PER_S, &options->keep_session_ns);

    if (error == 0 && (options->keep_session_ns == 0 ||
                       options->keep_session_ns > OPTIONS_MAX_KEEP_SESSION_S * (uint64_t)NS_PER_S))
        error = -ERANGE;
    return error < 0 ? refuse_value(error_text,
                                    "--keep-session needs a time up to 60m, such as 5m, not", value)
                     : 0;
}

static int set_private_fd(struct options *options, const char *value, char *error_text)
{
    char *end;
    long number = strtol(value, &end, 10);

    if (end == value || *end != '\0' || number < 0 || number > INT_MAX)
        return refuse_value(error_text, "--private needs a descriptor, not", value);
    options->private_fd = (int)number;
    return 0;
}

static int set_groups(struct options *options, const char *value, char *error_text)
{
    static const struct {
        const char *name;
        uint32_t needs;
    } choices[] = { { "none", 0 }, { "all", GROUP_NEEDS_USUAL }, { "units", GROUP_NEEDS_ALL } };

    for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
        options->group_needs = choices[i].needs;
        if (strcmp(value, choices[i].name) == 0)
            return 0;
    }
    return refuse_value(error_text, "--groups must be none, all or units, not", value);
}

static int set_metrics(struct options *options, const char *value, char *error_text)
{
    options->metrics = value;
    if (metrics_address_parse(value, &options->metrics_address) == 0)
        return 0;
    return refuse_value(
        error_text, "--metrics needs a PORT, a numeric ADDRESS:PORT, or the path of a socket, not",
        value);
}

static int set_agents(struct options *options, const char *value, char *error_text)
{
    options->takes_all_agents = strcmp(value, "all") == 0;
    if (options->takes_all_agents || strcmp(value, "own") == 0)
        return 0;
    return refuse_value(error_text, "--agents must be own or all, not", value);
}

static int set_log_level(struct options *options, const char *value, char *error_text)
{
    if (log_level_parse(value, &options->log_level) == 0)
        return 0;
    return refuse_value(error_text, "--log-level must be error, warn, info or debug, not", value);
}

/* A value that may be anything but empty. */
static int set_word(const char **word, const char *value, const char *refusal, char *error_text)
{
    *word = value;
    return *value != '\0' ? 0 : refuse_value(error_text, refusal, value);
}

static int set_option(struct options *options, const struct option_word *word, char *error_text)
{
    const char *value = word->value;

    switch ((enum option_kind)word->row->kind) {
    case OPTION_SOCKET:
        return set_word(&options->socket, value, "--socket needs a path, not", error_text);
    case OPTION_CONFIG:
        return set_word(&options->config, value, "--config needs a file, not", error_text);
    case OPTION_MEMORY_LIMIT:
        return set_memory_limit(options, value, error_text);
    case OPTION_ALWAYS:
        return set_always(options, value, error_text);
    case OPTION_ALWAYS_FEATURES:
        return set_always_features(options, value, error_text);
    case OPTION_TRIGGER:
        return set_trigger(options, value, error_text);
    case OPTION_TRIGGER_OUTPUT:
        options->triggers.output = value;
        return 0;
    case OPTION_EXPORT:
        return set_export(options, value, error_text);
    case OPTION_GROUPS:
        return set_groups(options, value, error_text);
    case OPTION_METRICS:
        return set_metrics(options, value, error_text);
    case OPTION_KEEP_SESSION:
        return set_keep_session(options, value, error_text);
    case OPTION_CONTROL_GROUP:
        return set_word(&options->control_group, value, "--control-group needs a group, not",
                        error_text);
    case OPTION_AGENTS:
        return set_agents(options, value, error_text);
    case OPTION_LOG_LEVEL:
        return set_log_level(options, value, error_text);
    case OPTION_PRIVATE:
        return set_private_fd(options, value, error_text);
    case OPTION_HELP:
        options->action = OPTIONS_SHOW_HELP;
        return 0;
    case OPTION_VERSION:
        options->action = OPTIONS_SHOW_VERSION;
        return 0;
    }
    return -EINVAL;
}

/* --- Words --- */

static int refuse_word(enum option_word_kind kind, const char *word, char *error_text)
{
    if (kind == OPTION_WORD_VALUE_MISSING)
        return refuse_value(error_text, "option requires a value:", word);
    return refuse_value(error_text, word[0] == '-' ? "unknown option" : "unexpected argument",
                        word);
}

/* Takes options and the command; one that only asks for a text ends them. */
static int take_words(int argc, char **argv, struct options *out, char *error_text)
{
    struct option_words words = { .words = argv, .count = argc, .next = 1 };
    struct option_word word;
    enum option_word_kind kind;

    while ((kind = option_words_next(&words, &table, &word)) == OPTION_WORD_OPTION) {
        int error = set_option(out, &word, error_text);
        if (error < 0 || out->action != OPTIONS_RUN)
            return error;
    }
    if (kind != OPTION_WORD_NONE && kind != OPTION_WORD_DASHES)
        return refuse_word(kind, word.word, error_text);
    out->command = kind == OPTION_WORD_DASHES ? &argv[words.next] : NULL;
    if (kind == OPTION_WORD_DASHES && *out->command == NULL)
        return refuse_value(error_text, "no command given after", "--");
    return 0;
}

/* A daemon tells what happens; beside somebody's command or under profctl it keeps quieter. */
static enum log_level usual_log_level(const struct options *options)
{
    if (options->private_fd >= 0)
        return LOG_ERROR;
    return options->command != NULL ? LOG_WARN : LOG_INFO;
}

/* A page of metrics shows groups. */
static uint32_t usual_group_needs(const struct options *options)
{
    return options->metrics != NULL ? GROUP_NEEDS_USUAL : 0;
}

int options_parse(int argc, char **argv, struct options *out, char error_text[OPTIONS_ERROR_TEXT])
{
    const enum log_level unset = (enum log_level) - 1;
    const uint32_t unset_needs = UINT32_MAX;

    *out = (struct options){
        .memory_limit_bytes = (uint64_t)OPTIONS_DEFAULT_MEMORY_MEGABYTES << 20,
        .group_needs = unset_needs,
        .log_level = unset,
        .private_fd = -1,
    };
    int error = take_words(argc, argv, out, error_text);
    if (error < 0 || out->action != OPTIONS_RUN)
        return error;
    if (out->config != NULL && out->command != NULL)
        return refuse_value(
            error_text, "--config cannot be used with a command; add the command to", out->config);
    if (out->export_url != NULL && out->command != NULL)
        return refuse_value(error_text,
                            "--export cannot be used with a command; use --config instead of",
                            *out->command);
    if (out->keep_session_ns != 0 && out->command != NULL)
        return refuse_value(
            error_text,
            "--keep-session and a command exclude each other: run it by --config, not as",
            *out->command);
    if (out->group_needs == unset_needs)
        out->group_needs = usual_group_needs(out);
    if (out->log_level == unset)
        out->log_level = usual_log_level(out);
    return 0;
}

/* --- Help --- */

void options_print_help(FILE *out)
{
    static const struct option_layout layout = { .has_letters = false, .name_columns = 21 };

    fputs("Usage: profd [OPTION]... [-- COMMAND [ARGUMENT]...]\n"
          "Profiles all processes that connect to it into one profile on one time line.\n"
          "With COMMAND, runs it, follows its descendants, and exits with its status.\n"
          "\n",
          out);
    for (size_t i = 0; i < table.count; i++)
        option_row_print(out, &table.rows[i], &layout);
    fputs("\n"
          "profctl starts, stops and captures sessions.\n",
          out);
}
