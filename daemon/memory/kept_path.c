#include "daemon/memory/kept_path.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

int kept_path_make(const char *socket_path, const char *name, const char *ending,
                   char out[KEPT_PATH_BYTES])
{
    int length = snprintf(out, KEPT_PATH_BYTES, "%s.%s%s", socket_path, name, ending);
    return length > 0 && length < KEPT_PATH_BYTES ? 0 : -ENAMETOOLONG;
}

void kept_path_remove(const char *socket_path, const char *name)
{
    char path[KEPT_PATH_BYTES];

    if (kept_path_make(socket_path, name, "", path) == 0)
        (void)unlink(path); /* it may be gone with its folder, or never have been there */
}
