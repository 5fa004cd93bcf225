#include "profctl/export/same_process.h"

#include <time.h>
#include <unistd.h>

#include "common/process_stat.h"
#include "common/time_units.h"

/* When PID began, on CLOCK_BOOTTIME, at the beginning of the kernel's tick; negative: it is gone.
 */
static int64_t find_start_ns(int64_t pid)
{
    struct process_stat stat;
    long ticks_per_s = sysconf(_SC_CLK_TCK);

    if (ticks_per_s <= 0 || !process_stat_read((pid_t)pid, &stat))
        return -1;
    return (int64_t)stat.start_ticks * (NS_PER_S / ticks_per_s);
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
