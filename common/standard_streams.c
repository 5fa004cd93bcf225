#include "common/standard_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int standard_streams_fill(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0)
            continue;
        /* The lowest free number is this one. */
        int way = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (open("/dev/null", way | O_CLOEXEC) < 0)
            return -errno;
    }
    return 0;
}
