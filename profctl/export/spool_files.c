#include "profctl/export/spool_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json/json_writer.h"
#include "profctl/export/new_file.h"

int spool_file_write(int directory, const char *name, const struct mapped_array *buffer)
{
    int fd = new_file_open(directory, SPOOL_NEW_NAME);
    int error = fd < 0 ? fd : json_sink_fd(&fd, buffer->items, buffer->count);

    if (fd >= 0 && close(fd) < 0 && error == 0)
        error = -errno;
    if (error == 0 && renameat(directory, SPOOL_NEW_NAME, directory, name) < 0)
        error = -errno;
    if (error < 0)
        (void)unlinkat(directory, SPOOL_NEW_NAME, 0); /* when it is there */
    return error;
}

/* Nothing that is there instead of the file holds this up. */
static int open_file(int directory, const char *name, int *fd)
{
    struct stat status;

    *fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (*fd < 0 || fstat(*fd, &status) < 0)
        return -errno;
    return S_ISDIR(status.st_mode) ? -EISDIR : S_ISREG(status.st_mode) ? 0 : -ENXIO;
}

int spool_file_read(int directory, const char *name, uint64_t bytes, struct mapped_array *buffer)
{
    ssize_t got = 1;
    int fd, error = open_file(directory, name, &fd);

    if (error == 0)
        error = mapped_array_reserve(buffer, bytes + 1, 1);
    buffer->count = 0;
    while (error == 0 && got > 0) {
        got = read(fd, (char *)buffer->items + buffer->count, bytes - buffer->count);
        error = got < 0 ? -errno : 0;
        buffer->count += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0)
        close(fd);
    return error;
}
