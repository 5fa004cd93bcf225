#include "common/short_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/time_units.h"

static const char not_regular[] = "it is not a regular file";

static long now_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * MS_PER_S + time.tv_nsec / NS_PER_MS;
}

/* Whether FD has something to read, or an end, before UNTIL_MS. */
static bool wait_for_bytes(int fd, long until_ms)
{
    struct pollfd wanted = { .fd = fd, .events = POLLIN };
    long left_ms = until_ms - now_ms();

    return left_ms > 0 && (poll(&wanted, 1, (int)left_ms) > 0 || errno == EINTR);
}

/* NULL, or why not all of it was read. */
static const char *read_all(int fd, char *bytes, size_t room, size_t *length)
{
    long until_ms = now_ms() + SHORT_FILE_PATIENCE_MS;
    ssize_t got = 1;

    while (got != 0 && *length < room) {
        got = read(fd, bytes + *length, room - *length);
        if (got < 0 && errno == EAGAIN && !wait_for_bytes(fd, until_ms))
            return "it is a pipe, and nothing came from it";
        if (got < 0 && errno != EAGAIN && errno != EINTR)
            return strerror(errno);
        *length += got > 0 ? (size_t)got : 0;
    }
    return NULL;
}

static const char *read_opened(int fd, char *bytes, size_t room, size_t *length)
{
    struct stat status;

    if (fstat(fd, &status) < 0)
        return strerror(errno);
    if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode))
        return not_regular;
    const char *why = read_all(fd, bytes, room, length);
    if (why == NULL && *length == 0 && S_ISFIFO(status.st_mode))
        return "it is a pipe that nobody writes to";
    return why;
}

bool short_file_read(const char *path, char *bytes, size_t room, size_t *length, const char **why)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

    *length = 0;
    *why = fd >= 0 ? read_opened(fd, bytes, room, length) : strerror(errno);
    if (fd >= 0)
        close(fd);
    return *why == NULL;
}

bool short_file_is_regular(const char *path, const char **why)
{
    struct stat status;

    *why = stat(path, &status) == 0 && !S_ISREG(status.st_mode) ? not_regular : NULL;
    return *why == NULL;
}
