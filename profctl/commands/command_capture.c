/* capture: what a running session has recorded, into a file. */
#include "profctl/client/client.h"
#include "profctl/commands/capture_make.h"
#include "profctl/commands/commands.h"

static int write_capture(const struct arguments *arguments, struct client *client,
                         struct failure *failure)
{
    struct capture_summary summary = { 0 };
    struct capture_file *file;
    int code;

    if (!capture_file_prepare_capture(arguments->output, &file, failure))
        return failure->code;
    code = capture_make(client, file, arguments, arguments->stop, &summary, failure)
               ? capture_tell(file, arguments, &summary)
               : (int)failure->code;
    capture_file_close(file);
    return code;
}

int command_capture(const struct arguments *arguments, struct failure *failure)
{
    struct client *client;
    int code;

    if (!client_connect(arguments->socket, &client, failure))
        return failure->code;
    code = write_capture(arguments, client, failure);
    client_close(client);
    return code;
}
