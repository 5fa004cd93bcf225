#include "common/process_stat.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 64, STAT_BYTES = 1024 };

bool process_stat_of_text(const char *text, struct process_stat *out)
{
    const char *rest = strrchr(text, ')'); /* the name before it may hold anything */
    struct process_stat stat;

    /* The state is the third field, and the start the 22nd. */
    if (rest == NULL || sscanf(text, "%d", &stat.pid) != 1 ||
        sscanf(
            rest,
            ") %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %" SCNu64,
            &stat.state, &stat.parent_pid, &stat.start_ticks) != 3)
        return false;
    *out = stat;
    return true;
}

bool process_stat_read(pid_t pid, struct process_stat *out)
{
    char path[PATH_BYTES], text[STAT_BYTES];

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t length = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (length <= 0)
        return false;
    text[length] = '\0';
    return process_stat_of_text(text, out);
}
