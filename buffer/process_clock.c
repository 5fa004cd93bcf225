#include "buffer/process_clock.h"

#include <errno.h>
#include <time.h>

#include "common/time_units.h"

/* By the kernel's own numbering: clock_getcpuclockid() makes a system call to check it first. */
static clockid_t clock_of(pid_t pid)
{
    enum { CPUCLOCK_SCHED = 2 };
    return (clockid_t)(~(unsigned)pid << 3 | CPUCLOCK_SCHED);
}

uint64_t process_clock_ns(pid_t pid)
{
    struct timespec time;
    int call_errno = errno;

    if (pid <= 0) /* 0 would be the caller's own */
        return PROCESS_CLOCK_UNKNOWN;
    int error = clock_gettime(clock_of(pid), &time);
    errno = call_errno;
    return error < 0 ? PROCESS_CLOCK_UNKNOWN
                     : (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_nsec;
}
