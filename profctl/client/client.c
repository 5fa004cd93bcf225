#include "profctl/client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/output_pattern.h"
#include "ipc/connection.h"
#include "ipc/ledger_file.h"
#include "ipc/socket.h"

enum {
    /* Until a profd that others keep busy has let us in. */
    CONNECT_PATIENCE_MS = 10 * 1000,
    /* Longer than profd gives its children to acknowledge; a profd that says nothing for so long is
     * stopped or stuck. */
    REPLY_TIMEOUT_MS = 20 * 1000,
    /* On top of what the capture may take: profd reports progress meanwhile, so this is silence. */
    CAPTURE_SILENCE_MS = 30 * 1000,
    /* Of one asked for by name: others may be written before. */
    TRIGGER_TIMEOUT_MS = 120 * 1000,
    /* What led to most things, in a file that is quickly made and looked at. */
    USUAL_TRIGGER_LAST_MS = 10 * 1000,
    CAPTURE_FRAME_BYTES = 2 * MESSAGE_MAX_SELECTION + MESSAGE_MAX_FILTERS + 256,
};

/* Of requests whose reply is of no interest. */
static const uint64_t unawaited_id = UINT64_MAX;

struct client {
    uv_loop_t loop;
    struct connection *connection;                           /* NULL: closed */
    int close_reason;                                        /* negative once it is */
    char where[sizeof(((struct sockaddr_un *)0)->sun_path)]; /* for messages; "" our own profd */

    uint32_t protocol_minor; /* the newest that profd understands */
    uint64_t last_id;        /* of the request that is being answered */
    bool is_answered;
    bool is_turned_away; /* … before any request was looked at */
    int64_t reply_error;
    char reply_text[CLIENT_TEXT_BYTES];

    uint64_t silence_ms; /* how long profd may say nothing while a request waits */
    char *status_json;   /* owned */
    struct capture_result *capture;
    client_on_progress on_progress;
    void *progress_context;

    bool has_exited;
    int exit_status;
};

/* --- What profd says --- */

static void copy_text(char *out, size_t capacity, struct message_string text)
{
    size_t length = text.length < capacity - 1 ? text.length : capacity - 1;

    memcpy(out, text.bytes, length);
    out[length] = '\0';
}

static int take_reply(struct client *client, const uint8_t *payload, size_t bytes)
{
    struct message_reply reply;
    int err = message_get_reply(payload, bytes, &reply);

    if (err < 0)
        return err;
    /* id 0 answers the hello, and is sent only to turn us away. */
    if (reply.id != client->last_id && reply.id != 0)
        return 0;
    client->is_answered = true;
    client->is_turned_away = reply.id == 0;
    client->reply_error = reply.error;
    copy_text(client->reply_text, sizeof(client->reply_text), reply.text);
    return 0;
}

static int take_status(struct client *client, const uint8_t *payload, size_t bytes)
{
    struct message_status status;
    int err = message_get_status(payload, bytes, &status);

    if (err < 0)
        return err;
    free(client->status_json);
    client->status_json = strndup(status.json.bytes, status.json.length);
    return client->status_json != NULL ? 0 : -ENOMEM;
}

static int take_progress(struct client *client, const uint8_t *payload, size_t bytes)
{
    struct message_capture_progress progress;
    int err = message_get_capture_progress(payload, bytes, &progress);

    if (err == 0 && progress.id == client->last_id && client->on_progress != NULL)
        client->on_progress(&progress, client->progress_context);
    return err;
}

static int copy_profile_places(struct capture_result *result, const struct message_string *from)
{
    size_t count = from->length / sizeof(*result->profile_places);

    capture_result_free(result);
    if (count == 0)
        return 0;
    result->profile_places = malloc(count * sizeof(*result->profile_places));
    if (result->profile_places == NULL)
        return -ENOMEM;
    memcpy(result->profile_places, from->bytes, count * sizeof(*result->profile_places));
    result->profile_place_count = count;
    return 0;
}

void capture_result_free(struct capture_result *result)
{
    free(result->profile_places);
    result->profile_places = NULL;
    result->profile_place_count = 0;
}

static int take_capture_done(struct client *client, const uint8_t *payload, size_t bytes)
{
    struct message_capture_done done;
    int err = message_get_capture_done(payload, bytes, &done);

    if (err < 0 || client->capture == NULL || done.id != client->last_id)
        return err;
    client->capture->bytes_written = done.bytes_written;
    client->capture->processes = done.processes;
    copy_text(client->capture->missing, sizeof(client->capture->missing), done.missing);
    return copy_profile_places(client->capture, &done.profile_places);
}

static int take_exited(struct client *client, const uint8_t *payload, size_t bytes)
{
    struct message_command_exited exited;
    int err = message_get_command_exited(payload, bytes, &exited);

    if (err < 0)
        return err;
    client->has_exited = true;
    client->exit_status =
        exited.is_signal ? EXIT_CODE_SIGNAL_BASE + (int)exited.code : (int)exited.code;
    return 0;
}

static int take_message(struct client *client, unsigned kind, const uint8_t *payload, size_t bytes)
{
    switch (kind) {
    case MESSAGE_REPLY:
        return take_reply(client, payload, bytes);
    case MESSAGE_STATUS:
        return take_status(client, payload, bytes);
    case MESSAGE_CAPTURE_PROGRESS:
        return take_progress(client, payload, bytes);
    case MESSAGE_CAPTURE_DONE:
        return take_capture_done(client, payload, bytes);
    case MESSAGE_COMMAND_EXITED:
        return take_exited(client, payload, bytes);
    default:
        return 0;
    }
}

static void on_message(struct connection *connection, unsigned kind, const uint8_t *payload,
                       size_t bytes, int *fds, size_t fd_count, void *owner)
{
    struct client *client = owner;
    int err = take_message(client, kind, payload, bytes);

    (void)fds;
    (void)fd_count;
    connection_set_deadline(connection, client->silence_ms);
    if (err < 0)
        connection_close(connection, err);
}

static void on_closed(struct connection *connection, int reason, void *owner)
{
    struct client *client = owner;

    (void)connection;
    client->connection = NULL;
    client->close_reason = reason;
}

static const struct connection_events events = { on_message, on_closed };

/* --- Failures --- */

static void failed_to_reach(const struct client *client, int err, struct failure *failure)
{
    if (err == -ENOENT || err == -ECONNREFUSED)
        failure_set(failure, EXIT_CODE_NO_DAEMON,
                    "no profd listens at %s; start one with 'profd', or profile one command with "
                    "'profctl run -- COMMAND'",
                    client->where);
    else if (err == -EACCES || err == -EPERM)
        failure_set(failure, EXIT_CODE_NO_DAEMON,
                    "the profd at %s is another user's (%s); name yours with --socket",
                    client->where, strerror(-err));
    else
        failure_set(failure, EXIT_CODE_NO_DAEMON,
                    "cannot reach profd at %s: %s; try again, or see whether it runs",
                    client->where, strerror(-err));
}

static void lost(const struct client *client, struct failure *failure)
{
    const char *who = client->where[0] != '\0' ? client->where : "its private socket";

    if (client->close_reason == -ETIMEDOUT)
        failure_set(failure, EXIT_CODE_NO_DAEMON,
                    "profd at %s does not answer; see whether it is stopped", who);
    else if (client->close_reason == -EPROTO)
        failure_set(failure, EXIT_CODE_NO_DAEMON,
                    "the server at %s is not a profd of this version; restart profd", who);
    else if (client->close_reason == -ESHUTDOWN || client->close_reason == -ECONNRESET)
        failure_set(failure, EXIT_CODE_NO_DAEMON,
                    "profd at %s closed the connection without answering; see its log", who);
    else
        failure_set(failure, EXIT_CODE_NO_DAEMON, "lost profd at %s: %s", who,
                    strerror(-client->close_reason));
}

/* --- Requests --- */

bool client_wait(struct client *client, struct failure *failure)
{
    if (client->connection != NULL)
        uv_run(&client->loop, UV_RUN_ONCE);
    if (client->connection != NULL)
        return true;
    lost(client, failure);
    return false;
}

static bool await_reply(struct client *client, char *warning, struct failure *failure)
{
    while (!client->is_answered)
        if (client->connection == NULL || !client_wait(client, failure)) {
            if (client->is_answered)
                break;
            lost(client, failure);
            return false;
        }
    client->silence_ms = 0;
    if (client->connection != NULL)
        connection_set_deadline(client->connection, 0);
    if (client->reply_error < 0) {
        failure_set(failure, client->is_turned_away ? EXIT_CODE_NO_DAEMON : EXIT_CODE_FAILED, "%s",
                    client->reply_text[0] != '\0' ? client->reply_text
                                                  : strerror(-(int)client->reply_error));
        return false;
    }
    if (warning != NULL)
        memcpy(warning, client->reply_text, sizeof(client->reply_text));
    return true;
}

/* Sends the message of BYTES at MESSAGE (negative: it could not be made) and waits for its reply.
 */
static bool request(struct client *client, const uint8_t *message, long bytes, const int *fds,
                    size_t fd_count, char *warning, struct failure *failure)
{
    int err;

    if (bytes < 0) {
        failure_set(failure, EXIT_CODE_FAILED, "cannot make the request: %s",
                    strerror((int)-bytes));
        return false;
    }
    if (client->connection == NULL) {
        lost(client, failure);
        return false;
    }
    client->is_answered = false;
    err = connection_send(client->connection, message, (size_t)bytes, fds, fd_count);
    if (err < 0 && err != -ENOTCONN && err != -EPIPE) {
        failed_to_reach(client, err, failure);
        return false;
    }
    connection_set_deadline(client->connection, client->silence_ms);
    return await_reply(client, warning, failure);
}

static uint64_t begin_request(struct client *client, uint64_t silence_ms)
{
    client->silence_ms = silence_ms;
    return ++client->last_id;
}

bool client_ask(struct client *client, enum message_kind kind, char warning[CLIENT_TEXT_BYTES],
                struct failure *failure)
{
    struct message_request message = { .id = begin_request(client, REPLY_TIMEOUT_MS) };
    uint8_t frame[256];
    long bytes = message_put_request(frame, sizeof(frame), kind, &message);

    return request(client, frame, bytes, NULL, 0, warning, failure);
}

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

    if (error == 0 && arguments->trigger_count > 0)
        return pattern;
    if (error == -EINVAL)
        failure_set(failure, EXIT_CODE_USAGE,
                    "'%%%s' in '%s' is unknown; use %%p, %%t, %%e, %%n or %%%%", letter, pattern);
    else if (error == -ENOENT)
        failure_set(failure, EXIT_CODE_USAGE, "'%s' must end in .json or .json.gz", pattern);
    else if (error < 0)
        failure_set(failure, EXIT_CODE_USAGE, "'%s' is too long", pattern);
    else
        failure_set(failure, EXIT_CODE_USAGE, "'%s' is for triggers; add --trigger", pattern);
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

/* Of what triggers write, into MESSAGE, with *FOLDER; without triggers nothing. */
static bool describe_captures(const struct arguments *arguments,
                              struct message_client_start *message, int *folder,
                              struct failure *failure)
{
    if (arguments->trigger_count == 0 && arguments->trigger_last_ms != 0) {
        failure_set(failure, EXIT_CODE_USAGE,
                    "how much the captures of triggers hold is for triggers; add --trigger");
        return false;
    }
    if (arguments->trigger_count == 0 && arguments->pattern == NULL)
        return true;
    const char *pattern = pattern_of(arguments, failure);
    *folder = pattern != NULL ? open_folder(pattern, failure) : -1;
    if (*folder < 0)
        return false;
    message->output = (struct message_string){ pattern, strlen(pattern) };
    message->most_files = arguments->most_files;
    message->trigger_last_ms = reach_of(arguments);
    return true;
}

bool client_start_session(struct client *client, const struct arguments *arguments,
                          char warning[CLIENT_TEXT_BYTES], struct failure *failure)
{
    static char triggers[MESSAGE_MAX_TRIGGERS];
    struct message_client_start message = {
        .id = begin_request(client, REPLY_TIMEOUT_MS),
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
    static uint8_t frame[MESSAGE_MAX_FILTERS + MESSAGE_MAX_TRIGGERS + OUTPUT_PATTERN_BYTES + 256];
    int folder = -1;

    if (!describe_captures(arguments, &message, &folder, failure))
        return false;
    long bytes = message_put_client_start(frame, sizeof(frame), MESSAGE_CLIENT_START, &message);
    return request(client, frame, bytes, &folder, folder >= 0 ? 1 : 0, warning, failure);
}

bool client_trigger(struct client *client, const char *name, char text[CLIENT_TEXT_BYTES],
                    struct failure *failure)
{
    struct message_client_trigger message = {
        .id = begin_request(client, TRIGGER_TIMEOUT_MS),
        .name = { name, strlen(name) },
    };
    uint8_t frame[256];

    if (!trigger_name_is_valid(name, strlen(name))) {
        failure_set(failure, EXIT_CODE_USAGE, "'%s' is not a valid trigger name", name);
        return false;
    }
    long bytes = message_put_client_trigger(frame, sizeof(frame), MESSAGE_CLIENT_TRIGGER, &message);
    return request(client, frame, bytes, NULL, 0, text, failure);
}

bool client_status(struct client *client, char **json, struct failure *failure)
{
    if (!client_ask(client, MESSAGE_CLIENT_STATUS, NULL, failure))
        return false;
    if (client->status_json == NULL) {
        failure_set(failure, EXIT_CODE_FAILED, "profd answered without a status; restart it");
        return false;
    }
    *json = client->status_json;
    client->status_json = NULL;
    return true;
}

bool client_groups(struct client *client, uint32_t needs, int file_fd,
                   char remark[CLIENT_TEXT_BYTES], struct failure *failure)
{
    struct message_client_groups message = { .id = begin_request(client, REPLY_TIMEOUT_MS),
                                             .needs = needs };
    uint8_t frame[64];
    int fd = file_fd >= 0 ? fcntl(file_fd, F_DUPFD_CLOEXEC, 0) : -1; /* sending closes it */
    long bytes = message_put_client_groups(frame, sizeof(frame), MESSAGE_CLIENT_GROUPS, &message);

    if (file_fd >= 0 && fd < 0) {
        failure_set(failure, EXIT_CODE_FAILED, "cannot pass a file to profd: %s", strerror(errno));
        return false;
    }
    return request(client, frame, bytes, &fd, fd >= 0 ? 1 : 0, remark, failure);
}

static struct message_string message_text(const char *text)
{
    return (struct message_string){ text, text != NULL ? strlen(text) : 0 };
}

static bool can_be_wished(const struct client *client, const struct capture_wish *wish,
                          struct failure *failure)
{
    if (!wish->is_raw || client->protocol_minor >= PROTOCOL_MINOR_OF_RAW_CAPTURES)
        return true;
    failure_set(failure, EXIT_CODE_FAILED,
                "profd at %s is older than raw captures; restart it, or write .json.gz",
                client->where);
    return false;
}

bool client_capture(struct client *client, int output_fd, const struct capture_wish *wish,
                    client_on_progress on_progress, void *context, struct capture_result *result,
                    struct failure *failure)
{
    struct message_client_capture message = {
        .id = begin_request(client, wish->timeout_ms + CAPTURE_SILENCE_MS),
        .stop = wish->stop,
        .timeout_ms = wish->timeout_ms,
        .last_ms = wish->last_ms,
        .pids = message_text(wish->pids),
        .names = message_text(wish->processes),
        .thread_filters = message_text(wish->threads),
        .is_raw = wish->is_raw,
    };
    static uint8_t frame[CAPTURE_FRAME_BYTES];
    long bytes = message_put_client_capture_for(client->protocol_minor, frame, sizeof(frame),
                                                MESSAGE_CLIENT_CAPTURE, &message);
    bool done;

    if (!can_be_wished(client, wish, failure))
        return false;
    int fd = fcntl(output_fd, F_DUPFD_CLOEXEC, 0); /* sending closes it */
    if (fd < 0) {
        failure_set(failure, EXIT_CODE_FAILED, "cannot pass the output to profd: %s",
                    strerror(errno));
        return false;
    }
    *result = (struct capture_result){ .may_be_empty = wish->threads != NULL };
    client->capture = result;
    client->on_progress = on_progress;
    client->progress_context = context;
    done = request(client, frame, bytes, &fd, 1, NULL, failure);
    client->capture = NULL;
    client->on_progress = NULL;
    return done;
}

/* --- Launching --- */

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
            .id = begin_request(client, REPLY_TIMEOUT_MS),
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
                    "the current directory is gone; change to one that exists");
    launched = bytes != -EMSGSIZE && bytes != -ENOENT &&
               request(client, frame, bytes, NULL, 0, NULL, failure);
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

/* --- Life cycle --- */

/* THEIRS is the newest minor version of the protocol that profd understands. */
static bool say_hello(struct client *client, uint32_t theirs, struct failure *failure)
{
    struct message_client_hello message = { .protocol_version = protocol_version_with(theirs) };
    uint8_t frame[64];
    long bytes = message_put_client_hello(frame, sizeof(frame), MESSAGE_CLIENT_HELLO, &message);
    int err =
        bytes < 0 ? (int)bytes : connection_send(client->connection, frame, (size_t)bytes, NULL, 0);

    client->protocol_minor = theirs;
    if (err < 0)
        failed_to_reach(client, err, failure);
    return err == 0;
}

static struct client *new_client(struct failure *failure)
{
    struct client *client = calloc(1, sizeof(*client));
    int err = client != NULL ? uv_loop_init(&client->loop) : -ENOMEM;

    if (err == 0)
        return client;
    free(client);
    failure_set(failure, EXIT_CODE_FAILED, "cannot start an event loop: %s", strerror(-err));
    return NULL;
}

bool client_connect(const char *socket, struct client **out, struct failure *failure)
{
    struct client *client = new_client(failure);
    int err;

    if (client == NULL)
        return false;
    err = socket_path(socket, client->where);
    if (err < 0)
        snprintf(client->where, sizeof(client->where), "%s", socket != NULL ? socket : "");
    if (err == 0)
        err = connection_connect(&client->loop, client->where, CONNECT_PATIENCE_MS, &events, client,
                                 &client->connection);
    if (err < 0)
        failed_to_reach(client, err, failure);
    if (err < 0 || !say_hello(client, ledger_file_protocol_minor(client->where), failure)) {
        client_close(client);
        return false;
    }
    *out = client;
    return true;
}

bool client_adopt(int fd, struct client **out, struct failure *failure)
{
    struct client *client = new_client(failure);
    int err;

    if (client == NULL) {
        close(fd);
        return false;
    }
    err = connection_accept(&client->loop, fd, &events, client, &client->connection);
    if (err < 0)
        failed_to_reach(client, err, failure);
    if (err < 0 || !say_hello(client, PROTOCOL_MINOR, failure)) {
        client_close(client);
        return false;
    }
    *out = client;
    return true;
}

void client_close(struct client *client)
{
    if (client == NULL)
        return;
    if (client->connection != NULL)
        connection_close(client->connection, -ESHUTDOWN);
    uv_run(&client->loop, UV_RUN_DEFAULT);
    uv_loop_close(&client->loop);
    free(client->status_json);
    free(client);
}

uv_loop_t *client_loop(struct client *client)
{
    return &client->loop;
}
