#include "daemon/session_file.h"

#include <errno.h>
#include <string.h>

#include "common/clock_choice.h"
#include "daemon/memory/kept_file.h"
#include "daemon/memory/kept_path.h"

/* --- To write --- */

static void add_settings(cJSON *object, const struct session_settings *settings)
{
    kept_add_number(object, "intervalNs", settings->interval_ns);
    kept_add_number(object, "memoryLimitBytes", settings->memory_limit_bytes);
    kept_add_number(object, "features", settings->features);
    kept_add_number(object, "allocationIntervalBytes", settings->allocation_interval_bytes);
    cJSON_AddStringToObject(object, "clock", sampling_clock_name(settings->clock));
    cJSON_AddStringToObject(object, "threads", settings->thread_filters);
}

static void add_parts(cJSON *root, const struct session_parts *parts)
{
    cJSON *array = cJSON_AddArrayToObject(root, "parts");

    for (unsigned i = 0; i < parts->count; i++) {
        const struct session_part *part = &parts->items[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddItemToArray(array, object);
        cJSON_AddStringToObject(object, "owner", session_owner_name(part->owner.kind));
        kept_add_number(object, "pid", (uint64_t)part->owner.pid);
        kept_add_number(object, "sinceNs", part->since_ns);
        add_settings(object, &part->settings);
    }
}

cJSON *session_document_make(const struct session *session)
{
    cJSON *root = cJSON_CreateObject();

    cJSON_AddBoolToObject(root, "isOn", session_is_on(session));
    cJSON_AddBoolToObject(root, "isPaused", session_is_paused(session));
    cJSON_AddBoolToObject(root, "isSamplingPaused", session->is_sampling_paused);
    kept_add_number(root, "generation", session->generation);
    kept_add_number(root, "revision", session->revision);
    kept_add_number(root, "startNs", session->start_ns);
    kept_add_number(root, "endNs", session->end_ns);
    kept_add_number(root, "restartCount", session->restart_count);
    kept_add_number(root, "unseenCount", session->unseen_count);
    add_settings(root, &session->settings);
    add_parts(root, &session->parts);
    return root;
}

/* --- To read --- */

static int get_count(const cJSON *object, const char *name, uint32_t *out)
{
    uint64_t number;

    if (kept_get_number(object, name, &number) < 0 || number > UINT32_MAX)
        return -EPROTO;
    *out = (uint32_t)number;
    return 0;
}

/* An older profd's session has none. */
static int read_clock(const cJSON *root, enum sampling_clock *clock)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, "clock");

    *clock = SAMPLING_CLOCK_AUTO;
    if (item == NULL)
        return 0;
    return cJSON_IsString(item) && clock_choice_parse(item->valuestring, clock) == 0 ? 0 : -EPROTO;
}

static int read_settings(const cJSON *root, struct session_settings *settings)
{
    const char *threads = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "threads"));

    if (threads == NULL || strlen(threads) > MESSAGE_MAX_FILTERS ||
        kept_get_number(root, "intervalNs", &settings->interval_ns) < 0 ||
        kept_get_number(root, "memoryLimitBytes", &settings->memory_limit_bytes) < 0 ||
        kept_get_number(root, "features", &settings->features) < 0 ||
        kept_get_number(root, "allocationIntervalBytes", &settings->allocation_interval_bytes) <
            0 ||
        read_clock(root, &settings->clock) < 0 ||
        (settings->interval_ns != 0 && settings->interval_ns < MESSAGE_MIN_INTERVAL_NS) ||
        settings->interval_ns > MESSAGE_MAX_INTERVAL_NS ||
        (settings->features & ~(uint64_t)FEATURES_ALL) != 0)
        return -EPROTO;
    settings->marker_triggers[0] = '\0'; /* what triggers wrote into went with the killed profd */
    strcpy(settings->thread_filters, threads); /* its length was looked at */
    return 0;
}

static int read_owner(const cJSON *object, struct session_owner *owner)
{
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "owner"));
    uint64_t pid;

    if (name == NULL || kept_get_number(object, "pid", &pid) < 0 || pid > INT32_MAX)
        return -EPROTO;
    for (int kind = 0; kind <= SESSION_OWNER_PROGRAM; kind++) {
        *owner = (struct session_owner){ (enum session_owner_kind)kind, (pid_t)pid };
        if (strcmp(session_owner_name(owner->kind), name) == 0)
            return 0;
    }
    return -EPROTO;
}

static int read_part(const cJSON *object, struct session_parts *parts)
{
    struct session_part part;

    if (parts->count == SESSION_PARTS_MOST || read_owner(object, &part.owner) < 0 ||
        kept_get_number(object, "sinceNs", &part.since_ns) < 0 ||
        read_settings(object, &part.settings) < 0 ||
        session_parts_find(parts, &part.owner) != NULL || part.settings.interval_ns == 0)
        return -EPROTO;
    session_parts_add(parts, &part.owner, &part.settings, part.since_ns);
    return 0;
}

/* An older profd's session is the user's. */
static int read_parts(const cJSON *root, struct session *session)
{
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(root, "parts"), *object;
    int error = 0;

    cJSON_ArrayForEach(object, array)
    {
        if (error == 0)
            error = read_part(object, &session->parts);
    }
    if (error == 0 && session->parts.count == 0 && session_is_on(session))
        session_parts_add(&session->parts, &session_owner_user, &session->settings,
                          session->start_ns);
    return error;
}

/* An older profd's terms had none. */
static int read_revision(const cJSON *root, uint32_t *revision)
{
    *revision = 0;
    return cJSON_HasObjectItem(root, "revision") ? get_count(root, "revision", revision) : 0;
}

int session_document_read(const cJSON *root, struct session *session)
{
    bool is_on = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "isOn"));
    bool is_paused = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "isPaused"));

    *session = (struct session){ 0 };
    if (get_count(root, "generation", &session->generation) < 0 ||
        kept_get_number(root, "startNs", &session->start_ns) < 0 ||
        kept_get_number(root, "endNs", &session->end_ns) < 0 ||
        get_count(root, "restartCount", &session->restart_count) < 0 ||
        get_count(root, "unseenCount", &session->unseen_count) < 0 ||
        read_revision(root, &session->revision) < 0 ||
        read_settings(root, &session->settings) < 0 ||
        (is_on && (session->generation == 0 || session->settings.interval_ns == 0)))
        return -EPROTO;
    session->is_sampling_paused =
        cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "isSamplingPaused"));
    session->state = !is_on ? SESSION_IDLE : is_paused ? SESSION_PAUSED : SESSION_ACTIVE;
    return read_parts(root, session);
}

int session_file_write(const char *socket_path, const struct session *session)
{
    cJSON *document = session_document_make(session);
    int error = kept_file_write(socket_path, SESSION_FILE_NAME, document);

    cJSON_Delete(document);
    return error;
}

int session_file_read(const char *socket_path, struct session *session)
{
    cJSON *document;
    int error = kept_file_read(socket_path, SESSION_FILE_NAME, &document);

    if (error < 0)
        return error;
    error = session_document_read(document, session);
    cJSON_Delete(document);
    return error;
}

void session_file_remove(const char *socket_path)
{
    kept_path_remove(socket_path, SESSION_FILE_NAME);
}
