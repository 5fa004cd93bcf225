/* The command that profd starts for us. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profctl/client/client_state.h"

/* Of requests whose reply is of no interest. */
static const uint64_t unawaited_id = UINT64_MAX;

/* The strings of LIST, each with its NUL, one after the other; NULL: no memory. */
static char *pack_strings(char *const *list, size_t *bytes)
{
    char *packed, *end;

    *bytes = 0;
    for (size_t i = 0; list[i] != NULL; i++)
        *bytes += strlen(list[i]) + 1;
    packed = malloc(*bytes + 1);
    end = packed;
    for (size_t i = 0; packed != NULL && list[i] != NULL; i++)
        end = stpcpy(end, list[i]) + 1;
    return packed;
}

static long put_launch(struct client *client, char *const *command, uint8_t *frame)
{
    size_t argument_bytes, environment_bytes;
    char *arguments = pack_strings(command, &argument_bytes);
    char *environment = pack_strings(environ, &environment_bytes);
    char *directory = getcwd(NULL, 0);
    long bytes;

    if (directory == NULL) {
        bytes = -errno;
    } else if (arguments == NULL || environment == NULL) {
        bytes = -ENOMEM;
    } else {
        struct message_client_launch message = {
            .id = client_begin_request(client, CLIENT_REPLY_TIMEOUT_MS),
            .directory = { directory, strlen(directory) },
            .arguments = { arguments, argument_bytes },
            .environment = { environment, environment_bytes },
        };

        bytes =
            message_put_client_launch(frame, MESSAGE_MAX_BYTES, MESSAGE_CLIENT_LAUNCH, &message);
    }
    free(directory);
    free(environment);
    free(arguments);
    return bytes;
}

bool client_launch(struct client *client, char *const *command, struct failure *failure)
{
    uint8_t *frame = malloc(MESSAGE_MAX_BYTES);
    long bytes = frame != NULL ? put_launch(client, command, frame) : -ENOMEM;
    bool launched;

    client->reply_error = 0;
    if (bytes == -EMSGSIZE)
        failure_set(failure, EXIT_CODE_NOT_EXECUTABLE,
                    "the command and its environment are longer than %d KB; shorten them",
                    MESSAGE_MAX_ARGUMENTS / 1024);
    else if (bytes == -ENOENT)
        failure_set(failure, EXIT_CODE_FAILED,
                    "the current directory no longer exists; change to another one");
    launched = bytes != -EMSGSIZE && bytes != -ENOENT &&
               client_request(client, frame, bytes, NULL, 0, NULL, failure);
    free(frame);
    if (!launched && client->is_answered && client->reply_error < 0)
        failure->code =
            client->reply_error == -ENOENT ? EXIT_CODE_NOT_FOUND : EXIT_CODE_NOT_EXECUTABLE;
    return launched;
}

void client_signal(struct client *client, int signal_number)
{
    struct message_client_signal message = { .id = unawaited_id, .signal_number = signal_number };
    uint8_t frame[256];
    long bytes = message_put_client_signal(frame, sizeof(frame), MESSAGE_CLIENT_SIGNAL, &message);

    if (bytes > 0 && client->connection != NULL)
        (void)connection_send(client->connection, frame, (size_t)bytes, NULL, 0);
}

bool client_command_exited(const struct client *client, int *exit_status)
{
    *exit_status = client->exit_status;
    return client->has_exited;
}
