#include "daemon/programs/export_program.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/programs/config.h"

bool export_program_takes(const char *url)
{
    static const char *const beginnings[] = {
        "clickhouse://",  "pyroscope+http://", "pyroscope+https://", "parca+http://",
        "parca+https://", "otlp+http://",      "otlp+https://",
    };

    for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
        if (strncmp(url, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

static void free_strings(char **strings)
{
    for (char **next = strings; *next != NULL; next++)
        free(*next);
    free(strings);
}

/* COUNT strings of their own, and NULL behind them; NULL: no memory. */
static char **copy_strings(const char *const *strings, size_t count)
{
    char **copies = calloc(count + 1, sizeof(*copies));
    for (size_t i = 0; copies != NULL && i < count; i++) {
        copies[i] = strdup(strings[i]);
        if (copies[i] == NULL) {
            free_strings(copies);
            copies = NULL;
        }
    }
    return copies;
}

static bool has_its_name(const struct config *config)
{
    for (size_t i = 0; i < config->count; i++) {
        if (strcmp(config->programs[i].name, EXPORT_PROGRAM_NAME) == 0)
            return true;
    }
    return false;
}

static struct program_config *add_place(struct config *config)
{
    struct program_config *programs =
        realloc(config->programs, (config->count + 1) * sizeof(*programs));
    if (programs == NULL)
        return NULL;
    config->programs = programs;
    return &programs[config->count++];
}

int export_program_add(struct config *config, const char *profctl, const char *socket,
                       const char *url)
{
    const char *const command[] = { profctl, "export", "--socket", socket, url };
    const char *const environment[] = { "PROFD_DISABLE=1" };
    if (has_its_name(config))
        return -EEXIST;
    struct program_config *program = add_place(config);
    if (program == NULL)
        return -ENOMEM;
    *program = (struct program_config){
        .name = strdup(EXPORT_PROGRAM_NAME),
        .command = copy_strings(command, sizeof(command) / sizeof(command[0])),
        .environment = copy_strings(environment, 1),
        .restart = RESTART_ALWAYS,
        .stop_signal = SIGTERM,
        .stop_timeout_ms = EXPORT_STOP_TIMEOUT_MS,
    };
    bool is_whole =
        program->name != NULL && program->command != NULL && program->environment != NULL;
    return is_whole ? 0 : -ENOMEM;
}
