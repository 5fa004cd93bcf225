#include "child-agent/guest/gate.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "common/time_units.h"

void gate_close(struct gate *gate)
{
    atomic_store(&gate->is_open, 0);
}

void gate_open(struct gate *gate)
{
    atomic_store(&gate->is_open, 1);
    (void)syscall(SYS_futex, &gate->is_open, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

static struct timespec after_ms(int ms)
{
    return clock_timespec(clock_monotonic_ns() + (uint64_t)ms * NS_PER_MS);
}

bool gate_wait(struct gate *gate, int max_ms)
{
    const struct timespec deadline = after_ms(max_ms);
    int saved_errno = errno;
    long error = 0;
    while (atomic_load(&gate->is_open) == 0 && error == 0) {
        if (syscall(SYS_futex, &gate->is_open, FUTEX_WAIT_BITSET_PRIVATE, 0, &deadline, NULL,
                    FUTEX_BITSET_MATCH_ANY) < 0 &&
            errno != EINTR && errno != EAGAIN)
            error = -errno;
    }
    errno = saved_errno;
    return atomic_load(&gate->is_open) != 0;
}
