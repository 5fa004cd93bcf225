#include "daemon/launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/client_connection.h"
#include "daemon/command.h"
#include "daemon/daemon.h"
#include "daemon/launch_environment.h"
#include "daemon/log.h"

/* What a supervised command's agents need to know. On failure TEXT says why. */
static int describe_agent(struct daemon *profd, struct launch_agent *agent,
                          char text[COMMAND_TEXT_BYTES])
{
    agent->library = profd->paths.library;
    agent->socket = profd->socket_path;
    session_describe(&profd->session, &agent->session);
    if (strpbrk(agent->library, " :") != NULL) {
        snprintf(
            text, COMMAND_TEXT_BYTES,
            "can't preload %.300s: the loader splits names at blanks and colons; install profd "
            "in a folder without",
            agent->library);
        return -EINVAL;
    }
    int error = access(agent->library, R_OK) < 0 ? -errno : 0;
    if (error < 0)
        snprintf(text, COMMAND_TEXT_BYTES, "can't use %.300s: %s; install profd completely",
                 agent->library, strerror(-error));
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

/* Launches as MESSAGE says. On failure TEXT says why. */
static int launch(struct daemon *profd, struct client *client,
                  const struct message_client_launch *message, char text[COMMAND_TEXT_BYTES])
{
    struct launch_agent agent;
    char **arguments = NULL, **environment = NULL;
    char *directory = NULL;
    int error = describe_agent(profd, &agent, text);

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
    struct command *command = command_make(profd, message->arguments.bytes);
    if (arguments == NULL || directory == NULL || command == NULL) {
        free(command);
        goto out;
    }
    command->launcher = client;
    command->request_id = message->id;
    error = command_start(command, arguments, environment, directory);

out:
    if (error < 0)
        snprintf(text, COMMAND_TEXT_BYTES, "can't run the command: %s", strerror(-error));
    free(arguments);
    free(environment);
    free(directory);
    return error;
}

void launch_for_client(struct daemon *profd, struct client *client,
                       const struct message_client_launch *message)
{
    char text[COMMAND_TEXT_BYTES];
    int error = launch(profd, client, message, text);

    if (error < 0)
        client_reply(client, message->id, error, text);
}

/* profd's own environment in the shape of a message's. */
static char *flatten_environment(size_t *bytes)
{
    size_t total = 0, used = 0;

    for (char **entry = environ; *entry != NULL; entry++)
        total += strlen(*entry) + 1;
    char *flat = malloc(total + 1);
    if (flat == NULL)
        return NULL;
    for (char **entry = environ; *entry != NULL; entry++) {
        size_t length = strlen(*entry) + 1;
        memcpy(flat + used, *entry, length);
        used += length;
    }
    *bytes = used;
    return flat;
}

int launch_main(struct daemon *profd, char **arguments)
{
    struct launch_agent agent;
    char **environment = NULL;
    char text[COMMAND_TEXT_BYTES];
    size_t bytes = 0;
    int error = describe_agent(profd, &agent, text);

    if (error < 0) {
        log_error("%s", text);
        return error;
    }
    char *flat = flatten_environment(&bytes);
    struct command *command = command_make(profd, arguments[0]);
    error = flat == NULL || command == NULL
                ? -ENOMEM
                : launch_environment_build(flat, bytes, &agent, &environment);
    if (error == 0) {
        command->is_main = true;
        error = command_start(command, arguments, environment, NULL);
    } else {
        free(command);
    }
    if (error < 0)
        log_error("can't run '%s': %s", arguments[0], strerror(-error));
    free(flat);
    free(environment);
    return error;
}
