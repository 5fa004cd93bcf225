#include "profctl/commands/session_start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/output_pattern.h"
#include "common/time_units.h"
#include "common/trigger.h"

/* What led to most things, in a file that is quickly made and looked at. */
enum { USUAL_TRIGGER_LAST_MS = 10 * MS_PER_S };

/* The triggers as they travel: each with its NUL. */
static size_t list_triggers(const struct arguments *arguments, char out[MESSAGE_MAX_TRIGGERS])
{
    size_t used = 0;

    for (size_t i = 0; i < arguments->trigger_count; i++) {
        trigger_format(&arguments->triggers[i], out + used);
        used += strlen(out + used) + 1;
    }
    return used;
}

/* The pattern, looked at. NULL with a failure. */
static const char *pattern_of(const struct arguments *arguments, struct failure *failure)
{
    const char *pattern = arguments->pattern != NULL ? arguments->pattern : OUTPUT_PATTERN_DEFAULT;
    char letter[2] = "";
    int error = output_pattern_check(pattern, letter);

    bool is_output = arguments->output != NULL && strcmp(pattern, arguments->output) == 0;
    if (error == 0 && arguments->trigger_count > 0 && !is_output)
        return pattern;
    if (is_output)
        failure_set(failure, EXIT_CODE_USAGE,
                    "'%s' is already the output file; choose another name with --trigger-output",
                    pattern);
    else if (error == -EINVAL)
        failure_set(failure, EXIT_CODE_USAGE,
                    "'%%%s' in '%s' is unknown; use %%p, %%t, %%e, %%n or %%%%", letter, pattern);
    else if (error == -ENOENT)
        failure_set(failure, EXIT_CODE_USAGE, "'%s' must end in .json or .json.gz", pattern);
    else if (error < 0)
        failure_set(failure, EXIT_CODE_USAGE, "'%s' is too long", pattern);
    else
        failure_set(failure, EXIT_CODE_USAGE, "'%s' names the files of triggers; add --trigger",
                    pattern);
    return NULL;
}

static uint64_t reach_of(const struct arguments *arguments)
{
    if (arguments->trigger_last_ms == ARGUMENTS_ALL_TIME)
        return 0;
    return arguments->trigger_last_ms != 0 ? arguments->trigger_last_ms : USUAL_TRIGGER_LAST_MS;
}

/* Where captures of triggers go, as a descriptor that gives no more than the way there. */
static int open_folder(const char *pattern, struct failure *failure)
{
    const char *slash = strrchr(pattern, '/'), *percent = strchr(pattern, '%');
    char folder[OUTPUT_PATTERN_BYTES] = ".";

    if (slash != NULL)
        snprintf(folder, sizeof(folder), "%.*s", slash == pattern ? 1 : (int)(slash - pattern),
                 pattern);
    bool is_known = percent == NULL || slash == NULL || percent > slash;
    int fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && (!is_known || access(folder, W_OK | X_OK) == 0))
        return fd;
    failure_set(failure, EXIT_CODE_FAILED, "cannot write captures to %s: %s", folder,
                strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Of what triggers write, into SESSION, with *FOLDER; without triggers nothing. */
static bool describe_captures(const struct arguments *arguments,
                              struct message_client_start *session, int *folder,
                              struct failure *failure)
{
    if (arguments->trigger_count == 0 && arguments->trigger_last_ms != 0) {
        failure_set(failure, EXIT_CODE_USAGE,
                    "'start --last' and 'run --trigger-last' require --trigger");
        return false;
    }
    if (arguments->trigger_count == 0 && arguments->pattern == NULL)
        return true;
    const char *pattern = pattern_of(arguments, failure);
    *folder = pattern != NULL ? open_folder(pattern, failure) : -1;
    if (*folder < 0)
        return false;
    session->output = (struct message_string){ pattern, strlen(pattern) };
    session->max_files = arguments->max_files;
    session->trigger_last_ms = reach_of(arguments);
    return true;
}

bool session_start(struct client *client, const struct arguments *arguments,
                   char warning[CLIENT_TEXT_BYTES], struct failure *failure)
{
    static char triggers[MESSAGE_MAX_TRIGGERS];
    struct message_client_start session = {
        .interval_ns = arguments->interval_ns,
        .memory_limit_bytes = arguments->memory_limit_bytes,
        .features = arguments->features,
        .duration_ms = arguments->duration_ms,
        .thread_filters = { arguments->threads, strlen(arguments->threads) },
        .triggers = { triggers, list_triggers(arguments, triggers) },
        .output = { "", 0 },
        .allocation_interval_bytes = arguments->allocation_interval_bytes,
        .clock = arguments->clock,
    };
    int folder = -1;

    return describe_captures(arguments, &session, &folder, failure) &&
           client_start_session(client, &session, folder, warning, failure);
}
