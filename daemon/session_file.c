#include "daemon/session_file.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "ipc/system_id.h"

enum {
    PATH_BYTES = sizeof(((struct sockaddr_un *)0)->sun_path) + 24,
    FILE_MAX_BYTES = 64 * 1024,
    NUMBER_BYTES = 24,
};

/* --- The document --- */

/* 64 bits don't fit a JSON number. */
static void add_number(cJSON *object, const char *name, uint64_t number)
{
    char text[NUMBER_BYTES];

    snprintf(text, sizeof(text), "%" PRIu64, number);
    cJSON_AddStringToObject(object, name, text);
}

static int get_number(const cJSON *object, const char *name, uint64_t *out)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    char *end;

    if (text == NULL || *text < '0' || *text > '9')
        return -EPROTO;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' ? 0 : -EPROTO;
}

char *session_document_make(const struct session *session, const char *boot)
{
    cJSON *root = cJSON_CreateObject();

    cJSON_AddStringToObject(root, "boot", boot);
    cJSON_AddBoolToObject(root, "isOn", session_is_on(session));
    cJSON_AddBoolToObject(root, "isPaused", session_is_paused(session));
    add_number(root, "generation", session->generation);
    add_number(root, "startNs", session->start_ns);
    add_number(root, "endNs", session->end_ns);
    add_number(root, "restartCount", session->restart_count);
    add_number(root, "unseenCount", session->unseen_count);
    add_number(root, "intervalNs", session->settings.interval_ns);
    add_number(root, "memoryLimitBytes", session->settings.memory_limit_bytes);
    add_number(root, "features", session->settings.features);
    cJSON_AddStringToObject(root, "threads", session->settings.thread_filters);
    char *text = cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    return text;
}

static int get_count(const cJSON *object, const char *name, uint32_t *out)
{
    uint64_t number;

    if (get_number(object, name, &number) < 0 || number > UINT32_MAX)
        return -EPROTO;
    *out = (uint32_t)number;
    return 0;
}

static int read_settings(const cJSON *root, struct session_settings *settings)
{
    const char *threads = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "threads"));

    if (threads == NULL || strlen(threads) > MESSAGE_MAX_FILTERS ||
        get_number(root, "intervalNs", &settings->interval_ns) < 0 ||
        get_number(root, "memoryLimitBytes", &settings->memory_limit_bytes) < 0 ||
        get_number(root, "features", &settings->features) < 0 ||
        settings->interval_ns > MESSAGE_MAX_INTERVAL_NS || settings->features > FEATURES_ALL)
        return -EPROTO;
    strcpy(settings->thread_filters, threads); /* its length was looked at */
    return 0;
}

static int read_session(const cJSON *root, struct session *session)
{
    bool is_on = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "isOn"));
    bool is_paused = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "isPaused"));

    if (get_count(root, "generation", &session->generation) < 0 ||
        get_number(root, "startNs", &session->start_ns) < 0 ||
        get_number(root, "endNs", &session->end_ns) < 0 ||
        get_count(root, "restartCount", &session->restart_count) < 0 ||
        get_count(root, "unseenCount", &session->unseen_count) < 0 ||
        read_settings(root, &session->settings) < 0 ||
        (is_on && (session->generation == 0 || session->settings.interval_ns == 0)))
        return -EPROTO;
    session->state = !is_on ? SESSION_IDLE : is_paused ? SESSION_PAUSED : SESSION_ACTIVE;
    return 0;
}

int session_document_parse(const char *text, const char *boot, struct session *session)
{
    cJSON *root = cJSON_Parse(text);
    const char *of = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "boot"));
    int error = of == NULL ? -EPROTO : strcmp(of, boot) == 0 ? 0 : -ENOENT;

    *session = (struct session){ 0 };
    if (error == 0)
        error = read_session(root, session);
    cJSON_Delete(root);
    return error;
}

/* --- The file --- */

static int make_path(const char *socket_path, const char *ending, char out[PATH_BYTES])
{
    int length = snprintf(out, PATH_BYTES, "%s%s%s", socket_path, SESSION_FILE_SUFFIX, ending);
    return length > 0 && length < PATH_BYTES ? 0 : -ENAMETOOLONG;
}

static int write_text(const char *path, const char *text)
{
    size_t bytes = strlen(text);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    ssize_t written = write(fd, text, bytes);
    int error = written == (ssize_t)bytes ? 0 : written < 0 ? -errno : -ENOSPC;
    close(fd);
    return error;
}

int session_file_write(const char *socket_path, const struct session *session)
{
    char path[PATH_BYTES], new_path[PATH_BYTES], boot[BOOT_ID_BYTES];
    char *text = NULL;
    int error = make_path(socket_path, "", path);

    if (error == 0)
        error = make_path(socket_path, ".new", new_path);
    if (error == 0)
        error = boot_id_read(boot);
    if (error < 0)
        return error;
    text = session_document_make(session, boot);
    error = text == NULL ? -ENOMEM : write_text(new_path, text);
    if (error == 0 && rename(new_path, path) < 0)
        error = -errno;
    free(text);
    return error;
}

/* All of the file, terminated. */
static int read_text(const char *path, char text[FILE_MAX_BYTES])
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    int error = fstat(fd, &status) < 0 ? -errno : 0;
    if (error == 0 && (!S_ISREG(status.st_mode) || status.st_size >= FILE_MAX_BYTES))
        error = -EPROTO;
    if (error == 0 && status.st_uid != geteuid())
        error = -EPERM;
    ssize_t got = error == 0 ? read(fd, text, FILE_MAX_BYTES - 1) : 0;
    close(fd);
    if (error == 0 && got < 0)
        error = -EIO;
    text[error == 0 ? got : 0] = '\0';
    return error;
}

int session_file_read(const char *socket_path, struct session *session)
{
    char path[PATH_BYTES], boot[BOOT_ID_BYTES];
    char *text = malloc(FILE_MAX_BYTES);
    int error = text == NULL ? -ENOMEM : make_path(socket_path, "", path);

    if (error == 0)
        error = read_text(path, text);
    if (error == 0)
        error = boot_id_read(boot);
    if (error == 0)
        error = session_document_parse(text, boot, session);
    free(text);
    return error;
}

void session_file_remove(const char *socket_path)
{
    char path[PATH_BYTES];

    if (make_path(socket_path, "", path) == 0)
        (void)unlink(path); /* it may be gone with its folder, or never have been there */
}
