#include "daemon/status_document.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/command.h"
#include "daemon/daemon.h"

enum {
    /* For the list, in a document of at most MESSAGE_MAX_STATUS: the living come first. */
    LIST_BYTES = 400 * 1024,
    CHILD_BYTES = 256,        /* of one in the list, without its name */
    LONGEST_ESCAPE_BYTES = 6, /* of one character of a name */
    MAX_EXECUTABLE = 256,
};

/* Whole ones, as a number of JSON. */
static double milliseconds_since(uint64_t since_ns)
{
    uint64_t now_ns = uv_hrtime();
    uint64_t whole_ms = since_ns < now_ns ? (now_ns - since_ns) / 1000000 : 0;
    return (double)whole_ms;
}

static void add_features(cJSON *session, uint64_t features)
{
    static const struct {
        uint64_t bit;
        const char *name;
    } names[] = {
#define X(name, bit, text, help) { FEATURE_##name, text },
        FEATURES(X)
#undef X
    };
    cJSON *array = cJSON_AddArrayToObject(session, "features");

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (features & names[i].bit)
            cJSON_AddItemToArray(array, cJSON_CreateString(names[i].name));
    }
}

static void add_session(cJSON *root, const struct session *session)
{
    cJSON *object = cJSON_AddObjectToObject(root, "session");

    cJSON_AddStringToObject(object, "state", session_state_name(session->state));
    cJSON_AddNumberToObject(object, "generation", session->generation);
    if (!session_is_on(session))
        return;
    cJSON_AddNumberToObject(object, "elapsed_ms", milliseconds_since(session->start_ns));
    cJSON_AddNumberToObject(object, "interval_ns", (double)session->settings.interval_ns);
    cJSON_AddNumberToObject(object, "memory_limit_bytes",
                            (double)session->settings.memory_limit_bytes);
    add_features(object, session->settings.features);
    cJSON_AddStringToObject(object, "threads", session->settings.thread_filters);
}

static double recorded_bytes(const struct child *child)
{
    struct stat status;

    if (child->exit != NULL)
        return (double)child->exit->memory_bytes;
    if (child->arena_fd < 0 || fstat(child->arena_fd, &status) < 0)
        return 0;
    return (double)status.st_blocks * 512;
}

/* Returns the bytes that it takes at most. */
static size_t add_child(cJSON *list, const struct child *child)
{
    cJSON *object = cJSON_CreateObject();
    char executable[MAX_EXECUTABLE + 1];

    snprintf(executable, sizeof(executable), "%s", child->executable);
    cJSON_AddNumberToObject(object, "pid", child->pid);
    cJSON_AddNumberToObject(object, "image", child->image);
    cJSON_AddNumberToObject(object, "parent_pid", child->parent_pid);
    cJSON_AddStringToObject(object, "executable", executable);
    cJSON_AddStringToObject(object, "state", child_state_name(child->state));
    cJSON_AddStringToObject(object, "verdict", process_verdict_name(child->verdict));
    cJSON_AddNumberToObject(object, "code", child->code);
    cJSON_AddNumberToObject(object, "age_ms", milliseconds_since(child->start_ns));
    cJSON_AddNumberToObject(object, "recorded_bytes", recorded_bytes(child));
    cJSON_AddItemToArray(list, object);
    return CHILD_BYTES + strlen(executable) * LONGEST_ESCAPE_BYTES;
}

static void add_children(cJSON *root, const struct child_table *table)
{
    cJSON *object = cJSON_AddObjectToObject(root, "processes");
    cJSON *list = cJSON_CreateArray();
    unsigned by_state[CHILD_ENDED + 1] = { 0 };
    size_t listed = 0, bytes = 0;

    for (int is_ended = 0; is_ended <= 1; is_ended++) {
        for (const struct child *child = table->first; child != NULL; child = child->next) {
            if ((child->state == CHILD_ENDED) != is_ended)
                continue;
            by_state[child->state]++;
            if (bytes < LIST_BYTES) {
                bytes += add_child(list, child);
                listed++;
            }
        }
    }
    cJSON_AddNumberToObject(object, "connected", by_state[CHILD_CONNECTED]);
    cJSON_AddNumberToObject(object, "detached", by_state[CHILD_DETACHED]);
    cJSON_AddNumberToObject(object, "ended", by_state[CHILD_ENDED]);
    cJSON_AddNumberToObject(object, "not_listed", (double)(table->count - listed));
    cJSON_AddItemToObject(object, "list", list);
}

static void add_exits(cJSON *root, const struct exit_store *exits)
{
    cJSON *object = cJSON_AddObjectToObject(root, "exit_profiles");

    cJSON_AddNumberToObject(object, "kept", exits->records);
    cJSON_AddNumberToObject(object, "bytes", (double)exits->memory_bytes);
    cJSON_AddNumberToObject(object, "expired", (double)exits->expired_records);
    cJSON_AddNumberToObject(object, "failed", (double)exits->failed_records);
}

static void add_commands(cJSON *root, const struct supervisor *supervisor)
{
    cJSON *array = cJSON_AddArrayToObject(root, "commands");

    for (const struct command *command = supervisor->commands; command; command = command->next) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddNumberToObject(object, "pid", command->pid);
        cJSON_AddStringToObject(object, "command", command->name);
        cJSON_AddItemToArray(array, object);
    }
}

char *status_document_make(const struct daemon *profd)
{
    cJSON *root = cJSON_CreateObject();

    cJSON_AddStringToObject(root, "version", PROFD_VERSION);
    cJSON_AddNumberToObject(root, "protocol", PROTOCOL_VERSION);
    cJSON_AddNumberToObject(root, "pid", getpid());
    cJSON_AddStringToObject(root, "socket", profd->socket_path);
    cJSON_AddNumberToObject(root, "uptime_ms", milliseconds_since(profd->start_ns));
    add_session(root, &profd->session);
    add_children(root, &profd->children);
    add_exits(root, &profd->exits);
    add_commands(root, &profd->supervisor);
    char *text = cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    return text;
}
