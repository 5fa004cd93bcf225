#include "child-agent/sampler/look_alarm.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "child-agent/sampler/sampling_signal.h"

enum { SHARED_POLL_MS = 50, SHARED_OFF_POLL_MS = 100 };

static struct {
    _Atomic uint32_t state;
    _Atomic bool is_rung;
    _Atomic bool has_news;
    _Atomic int signal_number; /* that ends the wait of: */
    _Atomic int32_t thread;    /* 0: nobody waits */
} look_alarm;

/* A wake-up that the kernel dropped is made up for by the next one: the thread is woken as long as
 * it says that it waits. */
static void wake_waiting(void)
{
    int32_t thread = atomic_load(&look_alarm.thread);
    if (thread != 0)
        (void)syscall(SYS_tgkill, getpid(), thread, atomic_load(&look_alarm.signal_number));
}

void look_alarm_set(enum look_alarm_state state)
{
    atomic_store(&look_alarm.state, state);
    if (state == LOOK_ALARM_OFF)
        atomic_store(&look_alarm.is_rung, false);
}

/* Those who ring from here on send the signal of now, whatever the program begins to use; no signal
 * (0) where it is shared. *MASK: what is blocked meanwhile. */
static void begin_wait(sigset_t *mask)
{
    int number = sampling_signal_is_shared() ? 0 : sampling_signal_number();
    sigfillset(mask);
    if (number != 0)
        sigdelset(mask, number);
    atomic_store(&look_alarm.signal_number, number);
    atomic_store(&look_alarm.thread, (int32_t)gettid());
}

static void end_wait(void)
{
    atomic_store(&look_alarm.thread, 0);
    atomic_store(&look_alarm.has_news, false);
}

static bool must_poll(void)
{
    return atomic_load(&look_alarm.signal_number) == 0;
}

/* Until when a wait that has begun may last. 0: something has happened already. */
static uint64_t limit_of_wait_ns(uint64_t due_ns)
{
    if (atomic_load(&look_alarm.is_rung) || atomic_load(&look_alarm.has_news))
        return 0;
    if (!must_poll())
        return due_ns;
    uint64_t poll_ms =
        atomic_load(&look_alarm.state) == LOOK_ALARM_OFF ? SHARED_OFF_POLL_MS : SHARED_POLL_MS;
    uint64_t poll_ns = clock_monotonic_in_ms(poll_ms);
    return poll_ns < due_ns ? poll_ns : due_ns;
}

int look_alarm_wait(struct pollfd *fds, size_t count, uint64_t due_ns)
{
    sigset_t mask;
    begin_wait(&mask);
    uint64_t until_ns = limit_of_wait_ns(due_ns), now_ns = clock_monotonic_ns();
    const struct timespec timeout = clock_timespec(until_ns > now_ns ? until_ns - now_ns : 0);
    int got = ppoll(fds, count, until_ns != LOOK_ALARM_NEVER ? &timeout : NULL, &mask);
    int error = got < 0 ? -errno : got;
    end_wait();
    return error == -EINTR ? 0 : error;
}

bool look_alarm_take(void)
{
    return atomic_exchange(&look_alarm.is_rung, false);
}

void look_alarm_ring(void)
{
    if (atomic_load(&look_alarm.state) == LOOK_ALARM_OFF)
        return;
    atomic_store(&look_alarm.is_rung, true);
    wake_waiting();
}

void look_alarm_ring_if_resting(void)
{
    if (atomic_load_explicit(&look_alarm.state, memory_order_relaxed) == LOOK_ALARM_RESTING)
        look_alarm_ring();
}

void look_alarm_wake(void)
{
    atomic_store(&look_alarm.has_news, true);
    wake_waiting();
}

void look_alarm_reset(void)
{
    look_alarm_set(LOOK_ALARM_OFF);
    end_wait();
}
