#include "child-agent/sampler/look_alarm.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "buffer/clock.h"

enum alarm_state {
    ALARM_AWAKE = 0,
    ALARM_WAITING = 1, /* for a time */
    ALARM_RESTING = 2, /* for as long as nothing runs */
    ALARM_RUNG = 3,
};

static _Atomic uint32_t alarm_state; /* a futex */

/* A rung alarm ends the wait before it begins; whatever ends it, the thread is awake then. */
static void wait_as(enum alarm_state state, const struct timespec *timeout)
{
    uint32_t expected = ALARM_AWAKE;
    if (atomic_compare_exchange_strong(&alarm_state, &expected, state))
        (void)syscall(SYS_futex, &alarm_state, FUTEX_WAIT_PRIVATE, state, timeout, NULL, 0);
    atomic_store(&alarm_state, ALARM_AWAKE);
}

void look_alarm_rest(void)
{
    wait_as(ALARM_RESTING, NULL);
}

void look_alarm_wait(uint64_t duration_ns)
{
    const struct timespec duration = clock_timespec(duration_ns);
    wait_as(ALARM_WAITING, &duration);
}

void look_alarm_ring(void)
{
    uint32_t before = atomic_exchange(&alarm_state, ALARM_RUNG);
    if (before == ALARM_WAITING || before == ALARM_RESTING)
        (void)syscall(SYS_futex, &alarm_state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void look_alarm_ring_if_resting(void)
{
    if (atomic_load_explicit(&alarm_state, memory_order_relaxed) == ALARM_RESTING)
        look_alarm_ring();
}
