#include "common/preload_list.h"

#include <string.h>

#define SEPARATORS " :"

bool preload_list_take(const char **rest, struct library_path *path)
{
    *rest += strspn(*rest, SEPARATORS);
    path->start = *rest;
    path->length = strcspn(*rest, SEPARATORS);
    *rest += path->length;
    return path->length > 0;
}

static bool is_called(const struct library_path *path, const char *name)
{
    size_t length = strlen(name);

    return path->start[0] == '/' && path->length >= length &&
           memcmp(path->start + path->length - length, name, length) == 0;
}

bool preload_list_is_agent(const struct library_path *path)
{
    return is_called(path, "/libprofd.so.1") || is_called(path, "/libprofd.so");
}

bool preload_list_is_ours(const struct library_path *path)
{
    return preload_list_is_agent(path) || is_called(path, "/libprofd-malloc.so");
}
