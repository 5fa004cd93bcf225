#include "child-agent/sampler/process_timer.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "buffer/clock.h"

enum { FIRST_MAJOR = 6, FIRST_MINOR = 4 }; /* the kernel that sends it to the thread that runs */

static char our_value; /* its address marks the timer's signals */

static struct {
    _Atomic int held; /* the kernel's number for it and one; 0: there is none */
    _Atomic int signal_number;
    _Atomic uint64_t interval_ns; /* 0: it does not run */
} timer;

bool process_timer_works_with(const char *release)
{
    char *end;
    unsigned long major = strtoul(release, &end, 10);
    unsigned long minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
    return major > FIRST_MAJOR || (major == FIRST_MAJOR && minor >= FIRST_MINOR);
}

static bool kernel_works(void)
{
    struct utsname names;
    return uname(&names) == 0 && process_timer_works_with(names.release);
}

static int create_timer(int signal_number, int *number)
{
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
                              .sigev_signo = signal_number,
                              .sigev_value.sival_ptr = &our_value };
    return syscall(SYS_timer_create, CLOCK_PROCESS_CPUTIME_ID, &event, number) < 0 ? -errno : 0;
}

/* Takes the place of the one that is held (-1: nothing does), which is deleted. */
static void hold_timer(int number)
{
    int before = atomic_exchange(&timer.held, number + 1);
    if (before != 0)
        (void)syscall(SYS_timer_delete, before - 1); /* it is ours, so it is there */
}

int process_timer_make(int signal_number)
{
    int number;
    if (atomic_load(&timer.held) != 0 || !kernel_works())
        return 0;
    int error = create_timer(signal_number, &number);
    if (error < 0)
        return error;
    atomic_store(&timer.interval_ns, 0);
    atomic_store(&timer.signal_number, signal_number);
    hold_timer(number);
    return 0;
}

/* 0: it does not run. False when there is none. */
static bool set_interval(uint64_t interval_ns)
{
    const struct timespec interval = clock_timespec(interval_ns);
    const struct itimerspec setting = { .it_interval = interval, .it_value = interval };
    int held = atomic_load(&timer.held);
    if (held == 0)
        return false;
    if (atomic_exchange(&timer.interval_ns, interval_ns) == interval_ns)
        return true;
    return syscall(SYS_timer_settime, held - 1, 0, &setting, NULL) == 0;
}

bool process_timer_serve(uint64_t interval_ns)
{
    return set_interval(interval_ns);
}

void process_timer_rest(void)
{
    (void)set_interval(0); /* there may be none */
}

void process_timer_change_signal(int signal_number)
{
    int number;
    if (atomic_load(&timer.held) == 0 ||
        atomic_exchange(&timer.signal_number, signal_number) == signal_number)
        return;
    hold_timer(-1); /* first: it may be the last that the user may have */
    uint64_t interval_ns = atomic_exchange(&timer.interval_ns, 0);
    if (create_timer(signal_number, &number) < 0)
        return;
    hold_timer(number);
    if (interval_ns != 0)
        (void)process_timer_serve(interval_ns); /* there is one */
}

bool process_timer_is_signal(const siginfo_t *info)
{
    return info->si_code == SI_TIMER && info->si_value.sival_ptr == &our_value;
}

void process_timer_delete(void)
{
    hold_timer(-1);
    atomic_store(&timer.interval_ns, 0);
}

void process_timer_after_fork_child(void)
{
    atomic_store(&timer.held, 0);
    atomic_store(&timer.interval_ns, 0);
}
