#include "profctl/export/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int new_file_open(int directory, const char *name)
{
    if (unlinkat(directory, name, 0) < 0 && errno != ENOENT)
        return -errno;
    int fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return fd >= 0 ? fd : -errno;
}
