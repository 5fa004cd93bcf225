/* /source/v1: the text of a source file. Only files that the debug information names at the address
 * in question are given away. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profctl/view/symbol_api.h"

enum { MAX_SOURCE_BYTES = 32 * 1024 * 1024 };

static bool is_named(const struct symbol_frames *frames, const char *file)
{
    for (size_t i = 0; i < frames->count; i++) {
        const char *name = frames->frames[i].file;
        if (name != NULL && strcmp(name, file) == 0)
            return true;
    }
    return false;
}

static int read_all(int fd, char *text, size_t bytes, size_t *used)
{
    *used = 0;
    while (*used < bytes) {
        ssize_t got = read(fd, text + *used, bytes - *used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (got == 0)
            break;
        *used += (size_t)got;
    }
    return 0;
}

/* The text of a regular file, for free(). 0 or a negative errno. */
static int read_source(const char *path, char **out)
{
    struct stat status = { 0 };
    size_t used = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    int error = fd < 0 ? -errno : fstat(fd, &status) < 0 ? -errno : 0;

    *out = NULL;
    if (error == 0 && !S_ISREG(status.st_mode))
        error = -EINVAL;
    if (error == 0 && status.st_size > MAX_SOURCE_BYTES)
        error = -EFBIG;
    if (error == 0 && (*out = malloc((size_t)status.st_size + 1)) == NULL)
        error = -ENOMEM;
    if (error == 0)
        error = read_all(fd, *out, (size_t)status.st_size, &used);
    if (error == 0)
        (*out)[used] = '\0';
    if (error < 0) {
        free(*out);
        *out = NULL;
    }
    if (fd >= 0)
        close(fd);
    return error;
}

static int answer_source(const char *file, cJSON *answer)
{
    char *text;
    int error = file[0] == '/' ? read_source(file, &text) : -ENOENT;

    if (error == -ENOMEM)
        return error;
    if (error < 0)
        return symbol_api_refuse(answer, "the source file is not on this machine");
    bool is_added = cJSON_AddNullToObject(answer, "symbolsLastModified") != NULL &&
                    cJSON_AddNullToObject(answer, "sourceLastModified") != NULL &&
                    cJSON_AddStringToObject(answer, "file", file) != NULL &&
                    cJSON_AddStringToObject(answer, "source", text) != NULL;
    free(text);
    return is_added ? 0 : -ENOMEM;
}

int symbol_api_source(struct library_list *libraries, const cJSON *request, cJSON *answer)
{
    const char *file = symbol_api_text(request, "file");
    struct symbol_library *library;
    struct symbol_frames frames;
    uint64_t offset;

    if (file == NULL || symbol_api_address(request, "moduleOffset", &offset) < 0)
        return -EINVAL;
    int error = symbol_api_library(libraries, request, answer, &library);
    if (error < 0 || library == NULL)
        return error;
    error = symbol_library_resolve(library, offset, &frames);
    if (error < 0)
        return error;
    if (!is_named(&frames, file))
        return symbol_api_refuse(answer, "the library does not name that file at that offset");
    return answer_source(file, answer);
}
