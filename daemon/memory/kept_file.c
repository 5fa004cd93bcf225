#include "daemon/memory/kept_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/system_id.h"
#include "daemon/memory/kept_path.h"

enum { FILE_MAX_BYTES = 512 * 1024, NUMBER_BYTES = 24 };

void kept_add_number(cJSON *object, const char *name, uint64_t number)
{
    char text[NUMBER_BYTES];

    snprintf(text, sizeof(text), "%" PRIu64, number);
    cJSON_AddStringToObject(object, name, text);
}

int kept_get_number(const cJSON *object, const char *name, uint64_t *out)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    char *end;

    if (text == NULL || *text < '0' || *text > '9')
        return -EPROTO;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' ? 0 : -EPROTO;
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

int kept_file_write(const char *socket_path, const char *name, cJSON *document)
{
    char path[KEPT_PATH_BYTES], new_path[KEPT_PATH_BYTES], boot[BOOT_ID_BYTES];
    int error = kept_path_make(socket_path, name, "", path);

    if (error == 0)
        error = kept_path_make(socket_path, name, ".new", new_path);
    if (error == 0)
        error = boot_id_read(boot);
    if (error < 0)
        return error;
    cJSON_AddStringToObject(document, "boot", boot);
    char *text = cJSON_PrintUnformatted(document);
    error = text == NULL ? -ENOMEM : write_text(new_path, text);
    if (error == 0 && rename(new_path, path) < 0)
        error = -errno;
    if (error < 0)
        (void)unlink(new_path); /* it may never have been there */
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
    if (got < 0)
        error = -errno;
    close(fd);
    text[error == 0 ? got : 0] = '\0';
    return error;
}

static int check_boot(const cJSON *document)
{
    char boot[BOOT_ID_BYTES];
    const char *of = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(document, "boot"));
    int error = boot_id_read(boot);

    if (of == NULL)
        return -EPROTO;
    return error < 0 ? error : strcmp(of, boot) == 0 ? 0 : -ENOENT;
}

int kept_file_read(const char *socket_path, const char *name, cJSON **out)
{
    char path[KEPT_PATH_BYTES];
    char *text = malloc(FILE_MAX_BYTES);
    int error = text == NULL ? -ENOMEM : kept_path_make(socket_path, name, "", path);

    *out = NULL;
    if (error == 0)
        error = read_text(path, text);
    if (error == 0) {
        *out = cJSON_Parse(text);
        error = check_boot(*out);
    }
    if (error < 0) {
        cJSON_Delete(*out);
        *out = NULL;
    }
    free(text);
    return error;
}
