#include "common/file_name.h"

#include <string.h>

const char *file_name_of_bytes(const char *path, size_t length)
{
    const char *slash = length > 1 ? memrchr(path, '/', length - 1) : NULL;

    return slash != NULL ? slash + 1 : path;
}

const char *file_name_of(const char *path)
{
    return file_name_of_bytes(path, strlen(path));
}

bool file_name_is_same(const char *path, const char *other, size_t other_length)
{
    const char *name = file_name_of(path), *other_name = file_name_of_bytes(other, other_length);
    size_t length = (size_t)(other + other_length - other_name);

    return strlen(name) == length && memcmp(name, other_name, length) == 0;
}
