#include "child-agent/sampler/held_timer.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "buffer/clock.h"

/* NUMBER takes the place of the one that is held (-1: nothing does), which is deleted. */
static void hold_number(struct held_timer *timer, int number)
{
    int before = atomic_exchange(&timer->number_and_one, number + 1);
    if (before != 0)
        (void)syscall(SYS_timer_delete, before - 1); /* it is ours, so it is there */
}

int held_timer_make(struct held_timer *timer, const struct held_timer_wish *wish)
{
    struct sigevent event = { .sigev_notify = wish->thread != 0 ? SIGEV_THREAD_ID : SIGEV_SIGNAL,
                              .sigev_signo = wish->signal_number,
                              .sigev_value.sival_ptr = (void *)wish->mark };
    int number;
    event._sigev_un._tid = wish->thread;
    if (syscall(SYS_timer_create, wish->clock, &event, &number) < 0)
        return -errno;
    hold_number(timer, number);
    return 0;
}

int held_timer_set(const struct held_timer *timer, uint64_t interval_ns)
{
    int held = atomic_load_explicit(&timer->number_and_one, memory_order_relaxed);
    const struct timespec interval = clock_timespec(interval_ns);
    const struct itimerspec setting = { .it_interval = interval, .it_value = interval };
    return syscall(SYS_timer_settime, held - 1, 0, &setting, NULL) < 0 ? -errno : 0;
}

void held_timer_delete(struct held_timer *timer)
{
    hold_number(timer, -1);
}

bool held_timer_exists(const struct held_timer *timer)
{
    return atomic_load(&timer->number_and_one) != 0;
}

bool held_timer_sent(const struct held_timer *timer, const siginfo_t *info)
{
    return info->si_timerid + 1 ==
           atomic_load_explicit(&timer->number_and_one, memory_order_relaxed);
}

bool held_timer_is_marked(const siginfo_t *info, const void *mark)
{
    return info->si_code == SI_TIMER && info->si_value.sival_ptr == mark;
}

void held_timer_after_fork_child(struct held_timer *timer)
{
    atomic_store(&timer->number_and_one, 0);
}
