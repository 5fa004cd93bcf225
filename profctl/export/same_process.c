#include "profctl/export/same_process.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/time_units.h"

enum { PATH_BYTES = 64, STAT_BYTES = 1024 };

/* What the kernel says of PID behind its name, in TEXT; NULL: it is gone. The name may hold
 * anything, so it ends with the last parenthesis. */
static const char *read_stat(int64_t pid, char text[STAT_BYTES])
{
    char path[PATH_BYTES];

    snprintf(path, sizeof(path), "/proc/%" PRId64 "/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    ssize_t length = read(fd, text, STAT_BYTES - 1);
    close(fd);
    if (length <= 0)
        return NULL;
    text[length] = '\0';
    return strrchr(text, ')');
}

/* When PID began, on CLOCK_BOOTTIME, at the beginning of the kernel's tick; negative: it is gone.
 */
static int64_t find_start_ns(int64_t pid)
{
    char text[STAT_BYTES];
    const char *rest = read_stat(pid, text);
    long ticks_per_s = sysconf(_SC_CLK_TCK);
    int64_t ticks;

    /* The 22nd field; the state is the third. */
    if (rest == NULL || ticks_per_s <= 0 ||
        sscanf(rest,
               ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d "
               "%" SCNd64,
               &ticks) != 1)
        return -1;
    return ticks * (NS_PER_S / ticks_per_s);
}

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now = { 0 };

    (void)clock_gettime(clock, &now); /* there are both on every Linux */
    return now.tv_sec * (int64_t)NS_PER_S + now.tv_nsec;
}

/* CLOCK_MONOTONIC is read first: when this thread waits between the two, and when the machine slept
 * after SEEN_NS, a process seems to have begun earlier, and none is denied. */
bool same_process_lives(int64_t pid, int64_t seen_ns)
{
    int64_t monotonic_ns = clock_ns(CLOCK_MONOTONIC), boot_ns = clock_ns(CLOCK_BOOTTIME);
    int64_t start_ns = pid > 0 && seen_ns >= 0 ? find_start_ns(pid) : -1;

    return start_ns >= 0 && start_ns - (boot_ns - monotonic_ns) <= seen_ns;
}
