#include "daemon/options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer/lease_ledger.h"
#include "common/units.h"
#include "daemon/programs/export_program.h"
#include "ipc/messages.h"

const char options_help[] =
    "Usage: profd [OPTION]... [-- COMMAND [ARGUMENT]...]\n"
    "Profiles all processes that connect to it into one profile on one time line.\n"
    "With COMMAND, runs it, follows its descendants, and exits with its status.\n"
    "\n"
    "  --socket PATH         listen at PATH (default: $PROFD_SOCKET, else\n"
    "                        $XDG_RUNTIME_DIR/profd.sock, else /tmp/profd-UID/profd.sock)\n"
    "  --config FILE         runs the programs that FILE names (profd-config(5)), and starts them\n"
    "                        again when they end, as it says\n"
    "  --memory-limit SIZE   for everything that is recorded, e.g. 64M or 2G (default: 256M)\n"
    "  --always RATE         record all processes at all times, e.g. at 19Hz: a session of "
    "profd's\n"
    "                        own, beside which profctl begins others\n"
    "  --export URL          send what is recorded to a server, as profctl export does, e.g. to\n"
    "                        clickhouse://HOST/DATABASE; best with --always\n"
    "  --groups WHICH        none, all or units: performance groups to measure at all times\n"
    "                        (default: none, and all with --metrics); units adds those of\n"
    "                        single units\n"
    "  --metrics ADDRESS     serve metrics for Prometheus at PORT (of 127.0.0.1), ADDRESS:PORT, "
    "or\n"
    "                        the path of a Unix socket\n"
    "  --control-group GROUP members of GROUP may control profd, as its own user and root may\n"
    "  --agents WHOSE        own or all: whose programs are profiled that profd did not start,\n"
    "                        those of its own user and root (the default) or of every user\n"
    "  --log-level LEVEL     error, warn, info or debug (default: info)\n"
    "  --help, --version\n"
    "\n"
    "profctl starts, stops and captures sessions.\n";

static int refuse(char *error_text, const char *what, const char *name)
{
    snprintf(error_text, OPTIONS_ERROR_TEXT, "%s '%.100s'; try 'profd --help'", what, name);
    return -EINVAL;
}

static int set_memory_limit(struct options *options, const char *value, char *error_text)
{
    uint64_t smallest = (uint64_t)OPTIONS_MIN_MEMORY_MEGABYTES << 20;
    int error = units_parse_size(value, &options->memory_limit_bytes);

    if (error == -EINVAL)
        return refuse(error_text, "--memory-limit needs a size like 64M or 1.5G, not", value);
    if (error == 0 && options->memory_limit_bytes < smallest)
        return refuse(error_text, "--memory-limit needs at least 1M, not", value);
    if (error < 0 || options->memory_limit_bytes > OPTIONS_MAX_MEMORY_BYTES)
        return refuse(error_text, "--memory-limit can be at most 64G, not", value);
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
        return refuse(error_text, "--always needs a rate like 19Hz, not", value);
    return error < 0 ? refuse(error_text, "--always can be at most 100000Hz, not", value) : 0;
}

static int set_export(struct options *options, const char *value, char *error_text)
{
    options->export_url = value;
    return export_program_takes(value)
               ? 0
               : refuse(error_text, "--export needs a URL like clickhouse://HOST/DATABASE, not",
                        value);
}

static int set_private_fd(struct options *options, const char *value, char *error_text)
{
    char *end;
    long number = strtol(value, &end, 10);

    if (end == value || *end != '\0' || number < 0 || number > INT_MAX)
        return refuse(error_text, "--private needs a descriptor, not", value);
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
    return refuse(error_text, "--groups is none, all or units, not", value);
}

static int set_metrics(struct options *options, const char *value, char *error_text)
{
    options->metrics = value;
    if (metrics_address_parse(value, &options->metrics_address) == 0)
        return 0;
    return refuse(error_text,
                  "--metrics needs a PORT, a numeric ADDRESS:PORT, or the path of a socket, not",
                  value);
}

static int set_agents(struct options *options, const char *value, char *error_text)
{
    options->takes_all_agents = strcmp(value, "all") == 0;
    if (options->takes_all_agents || strcmp(value, "own") == 0)
        return 0;
    return refuse(error_text, "--agents is own or all, not", value);
}

static int set_option(struct options *options, const char *name, const char *value,
                      char *error_text)
{
    if (strcmp(name, "--socket") == 0) {
        options->socket = value;
        return *value != '\0' ? 0 : refuse(error_text, "--socket needs a path, not", value);
    }
    if (strcmp(name, "--config") == 0) {
        options->config = value;
        return *value != '\0' ? 0 : refuse(error_text, "--config needs a file, not", value);
    }
    if (strcmp(name, "--memory-limit") == 0)
        return set_memory_limit(options, value, error_text);
    if (strcmp(name, "--always") == 0)
        return set_always(options, value, error_text);
    if (strcmp(name, "--export") == 0)
        return set_export(options, value, error_text);
    if (strcmp(name, "--groups") == 0)
        return set_groups(options, value, error_text);
    if (strcmp(name, "--metrics") == 0)
        return set_metrics(options, value, error_text);
    if (strcmp(name, "--agents") == 0)
        return set_agents(options, value, error_text);
    if (strcmp(name, "--control-group") == 0) {
        options->control_group = value;
        return *value != '\0' ? 0 : refuse(error_text, "--control-group needs a group, not", value);
    }
    if (strcmp(name, "--private") == 0)
        return set_private_fd(options, value, error_text);
    if (log_level_parse(value, &options->log_level) < 0)
        return refuse(error_text, "--log-level is error, warn, info or debug, not", value);
    return 0;
}

static bool takes_value(const char *name)
{
    static const char *const names[] = { "--socket",  "--config", "--memory-limit", "--always",
                                         "--export",  "--groups", "--metrics",      "--log-level",
                                         "--private", "--agents", "--control-group" };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

/* Handles the option at argv[*INDEX], which may be "--name value" or "--name=value". */
static int parse_one(char **argv, int *index, struct options *out, char *error_text)
{
    char *argument = argv[*index];
    char *value = strchr(argument, '=');
    char name[32];

    snprintf(name, sizeof(name), "%.*s", value ? (int)(value - argument) : 31, argument);
    if (!takes_value(name)) {
        const char *kind = argument[0] == '-' ? "unknown option" : "unexpected argument";
        return refuse(error_text, kind, argument);
    }
    if (value == NULL) {
        value = argv[*index + 1];
        if (value == NULL)
            return refuse(error_text, "a value is missing after", argument);
        (*index)++;
    } else {
        value++;
    }
    return set_option(out, name, value, error_text);
}

/* A daemon tells what happens; beside somebody's command or under profctl it keeps quieter. */
static enum log_level usual_log_level(const struct options *options)
{
    if (options->private_fd >= 0)
        return LOG_ERROR;
    return options->command != NULL ? LOG_WARN : LOG_INFO;
}

/* Whoever reads metrics wants to see groups there. */
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
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            out->command = &argv[i + 1];
            if (*out->command == NULL)
                return refuse(error_text, "a command is missing after", "--");
            break;
        }
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "--version") == 0) {
            out->action = argv[i][2] == 'h' ? OPTIONS_SHOW_HELP : OPTIONS_SHOW_VERSION;
            return 0;
        }
        int error = parse_one(argv, &i, out, error_text);
        if (error < 0)
            return error;
    }
    if (out->config != NULL && out->command != NULL)
        return refuse(error_text, "--config and a command exclude one another: add it to",
                      out->config);
    if (out->export_url != NULL && out->command != NULL)
        return refuse(error_text,
                      "--export and a command exclude one another: run it by --config, "
                      "not as",
                      *out->command);
    if (out->group_needs == unset_needs)
        out->group_needs = usual_group_needs(out);
    if (out->log_level == unset)
        out->log_level = usual_log_level(out);
    return 0;
}
