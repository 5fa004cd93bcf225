#include "daemon/programs/export_program.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/programs/config.h"

static void free_strings(char **strings)
{
    for (char **next = strings; *next != NULL; next++)
        free(*next);
    free(strings);
}

static size_t count_strings(char *const *strings)
{
    size_t count = 0;

    while (strings != NULL && strings[count] != NULL)
        count++;
    return count;
}

/* COUNT strings of their own into LIST, which has room for them and is zeroed. 0 or -ENOMEM. */
static int copy_strings(char **list, const char *const *strings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        list[i] = strdup(strings[i]);
        if (list[i] == NULL)
            return -ENOMEM;
    }
    return 0;
}

/* PROFCTL export with SOCKET, the OPTIONS of the config, and URL; NULL: no memory. */
static char **make_command(const char *profctl, const char *socket, char *const *options,
                           const char *url)
{
    const char *const front[] = { profctl, "export", "--socket", socket };
    enum { FRONT = sizeof(front) / sizeof(front[0]) };
    size_t count = count_strings(options);
    char **command = calloc(FRONT + count + 1 + 1, sizeof(*command));

    if (command == NULL)
        return NULL;
    if (copy_strings(command, front, FRONT) == 0 &&
        copy_strings(command + FRONT, (const char *const *)options, count) == 0 &&
        copy_strings(command + FRONT + count, &url, 1) == 0)
        return command;
    free_strings(command);
    return NULL;
}

/* Without an agent; NULL: no memory. */
static char **make_environment(void)
{
    static const char *const variables[] = { "PROFD_DISABLE=1" };
    char **environment = calloc(2, sizeof(*environment));

    if (environment != NULL && copy_strings(environment, variables, 1) < 0) {
        free(environment);
        environment = NULL;
    }
    return environment;
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
    if (has_its_name(config))
        return -EEXIST;
    struct program_config *program = add_place(config);
    if (program == NULL)
        return -ENOMEM;
    *program = (struct program_config){
        .name = strdup(EXPORT_PROGRAM_NAME),
        .command = make_command(profctl, socket, config->export.options, url),
        .environment = make_environment(),
        .restart = RESTART_ALWAYS,
        .stop_signal = SIGTERM,
        .stop_timeout_ms = EXPORT_STOP_TIMEOUT_MS,
    };
    bool is_whole =
        program->name != NULL && program->command != NULL && program->environment != NULL;
    return is_whole ? 0 : -ENOMEM;
}
