#include "child-agent/sampler/thread_clock.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "child-agent/sampler/cpu_clock.h"

enum {
    NS_PER_SECOND = 1000000000,
    INTERVALS_PER_TICK = 16,
};

static char our_value; /* its address marks our timers' signals */

uint64_t thread_clock_tick_ns(void)
{
    struct timespec resolution;
    (void)clock_getres(CLOCK_MONOTONIC_COARSE, &resolution); /* a clock that there is */
    return (uint64_t)resolution.tv_nsec;
}

uint64_t thread_clock_timer_interval_ns(uint64_t interval_ns, uint64_t tick_ns)
{
    uint64_t fine_ns = tick_ns / INTERVALS_PER_TICK;
    if (interval_ns > tick_ns || interval_ns < fine_ns)
        return interval_ns;
    return fine_ns;
}

static int create_timer(struct profd_thread_id thread, clockid_t cpu_clock, int signal_number,
                        int *timer)
{
    struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
                              .sigev_signo = signal_number,
                              .sigev_value.sival_ptr = &our_value };
    event._sigev_un._tid = thread.number;
    return syscall(SYS_timer_create, cpu_clock, &event, timer) < 0 ? -errno : 0;
}

static int set_timer(int timer, uint64_t interval_ns)
{
    const struct timespec interval = { .tv_sec = (time_t)(interval_ns / NS_PER_SECOND),
                                       .tv_nsec = (long)(interval_ns % NS_PER_SECOND) };
    const struct itimerspec setting = { .it_interval = interval, .it_value = interval };
    return syscall(SYS_timer_settime, timer, 0, &setting, NULL) < 0 ? -errno : 0;
}

int thread_clock_start(struct thread_clock *clock, struct profd_thread_id thread,
                       clockid_t cpu_clock, int signal_number, uint64_t interval_ns, bool is_new)
{
    int timer;
    if (atomic_load(&clock->is_running))
        return 0;
    int err = create_timer(thread, cpu_clock, signal_number, &timer);
    if (err < 0)
        return err == -EINVAL ? -ESRCH : err;
    clock->timer = timer;
    clock->interval_ns = interval_ns;
    clock->base_ns = cpu_clock_thread_ns(cpu_clock);
    atomic_store(&clock->intervals, 0);
    atomic_store(&clock->told_ns, clock->base_ns);
    atomic_store(&clock->before_ns, is_new ? clock->base_ns : 0);
    atomic_store(&clock->is_running, true);
    err = set_timer(timer, interval_ns);
    if (err < 0)
        thread_clock_stop(clock);
    return err;
}

bool thread_clock_has_run(const struct thread_clock *clock)
{
    return atomic_load(&clock->told_ns) != 0;
}

void thread_clock_stop(struct thread_clock *clock)
{
    if (atomic_exchange(&clock->is_running, false))
        (void)syscall(SYS_timer_delete, clock->timer); /* it is ours, so it is there */
}

bool thread_clock_is_signal(const siginfo_t *info)
{
    return info->si_code == SI_TIMER && info->si_value.sival_ptr == &our_value;
}

bool thread_clock_read_signal(struct thread_clock *clock, const siginfo_t *info, uint64_t *cpu_ns)
{
    if (!atomic_load_explicit(&clock->is_running, memory_order_acquire) ||
        info->si_timerid != clock->timer)
        return false;
    uint64_t overrun = info->si_overrun > 0 ? (uint64_t)info->si_overrun : 0;
    uint64_t intervals =
        atomic_load_explicit(&clock->intervals, memory_order_relaxed) + 1 + overrun;
    atomic_store_explicit(&clock->intervals, intervals, memory_order_relaxed);
    *cpu_ns = clock->base_ns + intervals * clock->interval_ns;
    return true;
}

uint64_t thread_clock_take_untold(struct thread_clock *clock, uint64_t cpu_ns)
{
    uint64_t told_ns = atomic_load(&clock->told_ns);
    do {
        if (cpu_ns <= told_ns)
            return 0;
    } while (!atomic_compare_exchange_weak(&clock->told_ns, &told_ns, cpu_ns));
    return cpu_ns - told_ns;
}

uint64_t thread_clock_take_rest(struct thread_clock *clock, uint64_t cpu_ns)
{
    return thread_clock_take_untold(clock, cpu_ns) + atomic_exchange(&clock->before_ns, 0);
}

void thread_clock_after_fork_child(struct thread_clock *clock)
{
    atomic_store(&clock->is_running, false);
    atomic_store(&clock->told_ns, 0);
}
