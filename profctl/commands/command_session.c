/* start, trigger, stop, pause, resume: one request each. */
#include <cjson/cJSON.h>
#include <stdio.h>

#include "profctl/client/client.h"
#include "profctl/commands/commands.h"
#include "profctl/commands/session_start.h"

static void print_state(const struct arguments *arguments, const char *state, const char *warning)
{
    if (arguments->json)
        printf("{\"session\":\"%s\",\"complete\":%s}\n", state,
               warning[0] == '\0' ? "true" : "false");
    else if (!arguments->quiet)
        say("the session is %s", state);
    if (warning[0] != '\0')
        say("%s", warning);
}

int command_start(const struct arguments *arguments, struct failure *failure)
{
    static char warning[CLIENT_TEXT_BYTES];
    struct client *client;
    bool done;

    if (!client_connect(arguments->socket, &client, failure))
        return failure->code;
    done = session_start(client, arguments, warning, failure);
    client_close(client);
    if (!done)
        return failure->code;
    print_state(arguments, "active", warning);
    return EXIT_CODE_SUCCESS;
}

static int change_session(const struct arguments *arguments, enum message_kind kind,
                          const char *state, struct failure *failure)
{
    static char warning[CLIENT_TEXT_BYTES];
    struct client *client;
    bool done;

    if (!client_connect(arguments->socket, &client, failure))
        return failure->code;
    done = client_ask(client, kind, warning, failure);
    client_close(client);
    if (!done)
        return failure->code;
    print_state(arguments, state, warning);
    return EXIT_CODE_SUCCESS;
}

static void tell_file(const char *file)
{
    cJSON *root = cJSON_CreateObject();
    char *text;

    cJSON_AddStringToObject(root, "file", file);
    text = cJSON_PrintUnformatted(root);
    if (text != NULL)
        puts(text);
    cJSON_free(text);
    cJSON_Delete(root);
}

int command_trigger(const struct arguments *arguments, struct failure *failure)
{
    static char file[CLIENT_TEXT_BYTES];
    struct client *client;
    bool done;

    if (!client_connect(arguments->socket, &client, failure))
        return failure->code;
    done = client_trigger(client, arguments->operands[0], file, failure);
    client_close(client);
    if (!done)
        return failure->code;
    if (arguments->json)
        tell_file(file);
    else if (!arguments->quiet)
        say("wrote %s", file);
    return EXIT_CODE_SUCCESS;
}

int command_stop(const struct arguments *arguments, struct failure *failure)
{
    return change_session(arguments, MESSAGE_CLIENT_STOP, "stopped", failure);
}

int command_pause(const struct arguments *arguments, struct failure *failure)
{
    if (arguments->sampling)
        return change_session(arguments, MESSAGE_CLIENT_PAUSE_SAMPLING, "without sampling",
                              failure);
    return change_session(arguments, MESSAGE_CLIENT_PAUSE, "paused", failure);
}

int command_resume(const struct arguments *arguments, struct failure *failure)
{
    if (arguments->sampling)
        return change_session(arguments, MESSAGE_CLIENT_RESUME_SAMPLING, "with sampling", failure);
    return change_session(arguments, MESSAGE_CLIENT_RESUME, "active", failure);
}
