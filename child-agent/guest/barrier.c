#include "child-agent/guest/barrier.h"

#include <linux/membarrier.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BARRIER_FALLBACK_WAIT_NS = 10 * 1000 * 1000 };

static bool is_registered;

void barrier_register(void)
{
    is_registered = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void barrier_all_threads(void)
{
    static const struct timespec wait = { .tv_nsec = BARRIER_FALLBACK_WAIT_NS };
    if (is_registered && syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0)
        return;
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &wait, NULL);
}
