/* status: what profd and its processes are doing, once or again and again. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profctl/client/client.h"
#include "profctl/commands/commands.h"
#include "profctl/report/status_print.h"

enum { WATCH_SECONDS = 1 };

/* On a terminal each status takes the place of the last one. */
static void begin_frame(const struct arguments *arguments)
{
    if (arguments->watch && !arguments->json && isatty(STDOUT_FILENO))
        fputs("\033[H\033[J", stdout);
}

static bool print_status(const char *json, const struct arguments *arguments,
                         struct failure *failure)
{
    int error = 0;

    begin_frame(arguments);
    if (arguments->json)
        puts(json);
    else
        error = status_print(json, stdout);
    if (error < 0)
        failure_set(failure, EXIT_CODE_FAILED, "cannot read profd's status; restart profd");
    else if (fflush(stdout) != 0 || ferror(stdout))
        failure_set(failure, EXIT_CODE_FAILED, "cannot print the status: %s", strerror(errno));
    else
        return true;
    return false;
}

static bool ask_and_print(struct client *client, const struct arguments *arguments,
                          struct failure *failure)
{
    char *json;
    bool printed;

    if (!client_status(client, &json, failure))
        return false;
    printed = print_status(json, arguments, failure);
    free(json);
    return printed;
}

int command_status(const struct arguments *arguments, struct failure *failure)
{
    struct client *client;
    bool goes_on;

    if (!client_connect(arguments->socket, &client, failure))
        return failure->code;
    goes_on = ask_and_print(client, arguments, failure);
    while (goes_on && arguments->watch) {
        sleep(WATCH_SECONDS);
        goes_on = ask_and_print(client, arguments, failure);
    }
    client_close(client);
    return goes_on ? EXIT_CODE_SUCCESS : (int)failure->code;
}
