#include "common/exec_failure.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

/* What execvp(3) searches then. */
static const char path_of_nobody[] = "/bin:/usr/bin";

/* FOLDER is LENGTH bytes; none is the working directory. A directory is no program. */
static bool has_program(const char *folder, size_t length, const char *name)
{
    size_t name_bytes = strlen(name) + 1;
    char file[PATH_MAX];
    struct stat facts;

    if (length + 1 + name_bytes > sizeof(file))
        return false;
    memcpy(file, folder, length);
    if (length > 0)
        file[length++] = '/';
    memcpy(file + length, name, name_bytes);
    return stat(file, &facts) == 0 && !S_ISDIR(facts.st_mode);
}

static bool is_in_path(const char *name, const char *path)
{
    for (;; path++) {
        size_t length = strcspn(path, ":");

        if (has_program(path, length, name))
            return true;
        path += length;
        if (*path == '\0')
            return false;
    }
}

int exec_failure(int error, const char *name, const char *path)
{
    if (error != -EACCES || strchr(name, '/') != NULL)
        return error;
    return is_in_path(name, path != NULL ? path : path_of_nobody) ? error : -ENOENT;
}
