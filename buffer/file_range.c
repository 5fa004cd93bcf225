#include "buffer/file_range.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int file_range_read(int fd, void *bytes, size_t count, uint64_t offset)
{
    uint8_t *next = bytes;

    while (count > 0) {
        ssize_t got = pread(fd, next, count, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : -EIO;
        next += got;
        count -= (size_t)got;
        offset += (uint64_t)got;
    }
    return 0;
}

int file_range_write(int fd, const void *bytes, size_t count, uint64_t offset)
{
    const uint8_t *next = bytes;

    while (count > 0) {
        ssize_t put = pwrite(fd, next, count, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -errno;
        next += put;
        count -= (size_t)put;
        offset += (uint64_t)put;
    }
    return 0;
}

int file_range_punch(int fd, uint64_t offset, uint64_t count)
{
    int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;

    return fallocate(fd, mode, (off_t)offset, (off_t)count) < 0 ? -errno : 0;
}
