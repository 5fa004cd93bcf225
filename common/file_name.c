#include "common/file_name.h"

#include <string.h>

bool file_name_is_same(const char *path, const char *other, size_t other_length)
{
    const char *name = basename(path);
    const char *other_slash = memrchr(other, '/', other_length);
    const char *other_name = other_slash != NULL ? other_slash + 1 : other;
    size_t length = (size_t)(other + other_length - other_name);

    return strlen(name) == length && memcmp(name, other_name, length) == 0;
}
