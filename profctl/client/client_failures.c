/* What went wrong on the way to profd, in words. */
#include <errno.h>
#include <string.h>

#include "profctl/client/client_state.h"

void client_tell_unreached(const struct client *client, int error, struct failure *failure)
{
    if (error == -ENOENT || error == -ECONNREFUSED)
        failure_set(failure, EXIT_CODE_NO_DAEMON,
                    "no profd listens at %s; start one with 'profd', or profile one command with "
                    "'profctl run -- COMMAND'",
                    client->where);
    else if (error == -EACCES || error == -EPERM)
        failure_set(failure, EXIT_CODE_NO_DAEMON,
                    "the profd at %s belongs to another user (%s); choose yours with --socket",
                    client->where, strerror(-error));
    else
        failure_set(failure, EXIT_CODE_NO_DAEMON,
                    "cannot reach profd at %s: %s; check that it is running", client->where,
                    strerror(-error));
}

void client_tell_lost(const struct client *client, struct failure *failure)
{
    const bool is_private = client->where[0] == '\0';
    const char *who = is_private ? "its private socket" : client->where;
    const bool has_gone = client->close_reason == -ESHUTDOWN || client->close_reason == -ECONNRESET;

    if (client->close_reason == -ETIMEDOUT)
        failure_set(failure, EXIT_CODE_NO_DAEMON,
                    "profd at %s does not answer; check whether it is stopped", who);
    else if (client->close_reason == -EPROTO)
        failure_set(failure, EXIT_CODE_NO_DAEMON,
                    "the server at %s is not a profd of this version; restart profd", who);
    else if (has_gone && is_private) /* it has no log, and has told us why, unless it was killed */
        failure_set(
            failure, EXIT_CODE_NO_DAEMON,
            "the profd that profctl had started has ended without answering; run the command "
            "again");
    else if (has_gone)
        failure_set(failure, EXIT_CODE_NO_DAEMON,
                    "profd at %s closed the connection without answering; see its log", who);
    else
        failure_set(failure, EXIT_CODE_NO_DAEMON, "lost profd at %s: %s", who,
                    strerror(-client->close_reason));
}
