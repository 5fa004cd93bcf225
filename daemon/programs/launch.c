#include "daemon/programs/launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/log.h"
#include "daemon/paths.h"
#include "daemon/programs/command.h"
#include "daemon/programs/launch_environment.h"
#include "daemon/session.h"

/* The loader starts the program without a library that it cannot read. */
static int check_library(const char *path, char text[COMMAND_TEXT_BYTES])
{
    int error = access(path, R_OK) < 0 ? -errno : 0;

    if (error < 0)
        snprintf(text, COMMAND_TEXT_BYTES, "cannot use %.300s: %s; reinstall profd", path,
                 strerror(-error));
    return error;
}

/* What a supervised command's agents need to know. On failure TEXT says why. */
static int describe_agent(const struct launch *launch, struct launch_agent *agent,
                          char text[COMMAND_TEXT_BYTES])
{
    agent->library = launch->paths->library;
    agent->malloc_hooks = launch->paths->malloc_hooks;
    agent->socket = launch->socket_path;
    session_describe(launch->session, &agent->session);
    if (strpbrk(agent->library, " :") != NULL) {
        snprintf(text, COMMAND_TEXT_BYTES,
                 "cannot preload %.300s: the dynamic loader splits LD_PRELOAD at blanks and "
                 "colons; install profd in a folder whose path has neither",
                 agent->library);
        return -EINVAL;
    }
    int error = check_library(agent->library, text);
    if (error == 0 && launch_wants_malloc_hooks(agent))
        error = check_library(agent->malloc_hooks, text);
    return error;
}

/* "A\0B\0" as a NULL-terminated array of views; freed with free(). */
static char **split_strings(const struct message_string *strings)
{
    const char *end = strings->bytes + strings->length;
    size_t count = 0;

    for (const char *next = strings->bytes; next < end; next += strlen(next) + 1)
        count++;
    char **array = malloc((count + 1) * sizeof(*array));
    if (array == NULL)
        return NULL;
    count = 0;
    for (const char *next = strings->bytes; next < end; next += strlen(next) + 1)
        array[count++] = (char *)next;
    array[count] = NULL;
    return array;
}

static bool is_terminated(const struct message_string *strings)
{
    return strings->length == 0 || strings->bytes[strings->length - 1] == '\0';
}

int launch_for_client(const struct launch *launch, struct client *client,
                      const struct message_client_launch *message, char text[COMMAND_TEXT_BYTES])
{
    struct launch_agent agent;
    char **arguments = NULL, **environment = NULL;
    char *directory = NULL;
    int error = describe_agent(launch, &agent, text);

    if (error < 0)
        return error;
    error = -EINVAL;
    if (message->arguments.length == 0 || !is_terminated(&message->arguments))
        goto out;
    error = launch_environment_build(message->environment.bytes, message->environment.length,
                                     &agent, &environment);
    if (error < 0)
        goto out;
    error = -ENOMEM;
    arguments = split_strings(&message->arguments);
    directory = strndup(message->directory.bytes, message->directory.length);
    struct command *command = command_make(launch->supervisor, message->arguments.bytes);
    if (arguments == NULL || directory == NULL || command == NULL) {
        free(command);
        goto out;
    }
    command->launcher = client;
    command->request_id = message->id;
    error = command_start(command, arguments, environment, directory);

out:
    if (error < 0)
        snprintf(text, COMMAND_TEXT_BYTES, "cannot run the command: %s", strerror(-error));
    free(arguments);
    free(environment);
    free(directory);
    return error;
}

static bool is_same_variable(const char *a, const char *b)
{
    size_t length = strcspn(a, "=");
    return strncmp(a, b, length) == 0 && b[length] == '=';
}

static bool has_variable(char *const *list, const char *variable)
{
    for (; list != NULL && *list != NULL; list++) {
        if (is_same_variable(*list, variable))
            return true;
    }
    return false;
}

static size_t bytes_of(char *const *list)
{
    size_t bytes = 0;

    for (; list != NULL && *list != NULL; list++)
        bytes += strlen(*list) + 1;
    return bytes;
}

/* Those of LIST that are not in HIDDEN_BY, one behind the other; returns the end. */
static char *append_strings(char *at, char *const *list, char *const *hidden_by)
{
    for (; list != NULL && *list != NULL; list++) {
        if (!has_variable(hidden_by, *list))
            at = stpcpy(at, *list) + 1;
    }
    return at;
}

/* profd's own environment with ADDED (NULL: nothing) in the shape of a message's; freed with
 * free(). */
static char *flatten_environment(char *const *added, size_t *bytes)
{
    char *flat = malloc(bytes_of(environ) + bytes_of(added) + 1);

    if (flat == NULL)
        return NULL;
    char *end = append_strings(flat, environ, added);
    *bytes = (size_t)(append_strings(end, added, NULL) - flat);
    return flat;
}

/* COMMAND (taken over on every path) with profd's environment and ADDED. */
static int launch_own(struct command *command, char **arguments, char *const *added,
                      const char *directory, const struct launch_agent *agent)
{
    char **environment = NULL;
    size_t bytes = 0;
    char *flat = flatten_environment(added, &bytes);
    int error = flat == NULL || command == NULL
                    ? -ENOMEM
                    : launch_environment_build(flat, bytes, agent, &environment);

    if (error == 0)
        error = command_start(command, arguments, environment, directory);
    else
        free(command);
    if (error < 0)
        log_error("cannot run '%s': %s", arguments[0], strerror(-error));
    free(flat);
    free(environment);
    return error;
}

int launch_main(const struct launch *launch, char **arguments)
{
    struct launch_agent agent;
    char text[COMMAND_TEXT_BYTES];
    int error = describe_agent(launch, &agent, text);

    if (error < 0) {
        log_error("%s", text);
        return error;
    }
    struct command *command = command_make(launch->supervisor, arguments[0]);
    if (command != NULL)
        command->is_main = true;
    return launch_own(command, arguments, NULL, NULL, &agent);
}

int launch_program(const struct launch *launch, const struct program_config *config,
                   struct command **out)
{
    struct launch_agent agent;
    char text[COMMAND_TEXT_BYTES];
    int error = describe_agent(launch, &agent, text);

    if (error < 0) {
        log_error("%s", text);
        return error;
    }
    *out = command_make(launch->supervisor, config->name);
    if (*out != NULL)
        (*out)->terminal_fd = -1; /* they would all want it */
    return launch_own(*out, config->command, config->environment, config->directory, &agent);
}
