#include "child-agent/sampler/process_timer.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>

#include "child-agent/sampler/held_timer.h"

enum { FIRST_MAJOR = 6, FIRST_MINOR = 4 }; /* the kernel that sends it to the thread that runs */

static char our_value; /* its address marks the timer's signals */

static struct {
    struct held_timer held;
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

static int make_timer(int signal_number)
{
    const struct held_timer_wish wish = { .clock = CLOCK_PROCESS_CPUTIME_ID,
                                          .signal_number = signal_number,
                                          .mark = &our_value };
    return held_timer_make(&timer.held, &wish);
}

int process_timer_make(int signal_number)
{
    if (held_timer_exists(&timer.held) || !kernel_works())
        return 0;
    atomic_store(&timer.interval_ns, 0);
    atomic_store(&timer.signal_number, signal_number);
    return make_timer(signal_number);
}

/* 0: it does not run. False when there is none. */
static bool set_interval(uint64_t interval_ns)
{
    if (!held_timer_exists(&timer.held))
        return false;
    if (atomic_exchange(&timer.interval_ns, interval_ns) == interval_ns)
        return true;
    if (held_timer_set(&timer.held, interval_ns) == 0)
        return true;
    if (held_timer_exists(&timer.held)) /* else who replaces it sets the new one */
        (void)atomic_compare_exchange_strong(&timer.interval_ns, &interval_ns, 0);
    return false;
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
    if (!held_timer_exists(&timer.held) ||
        atomic_exchange(&timer.signal_number, signal_number) == signal_number)
        return;
    held_timer_delete(&timer.held); /* first: it may be the last that the user may have */
    uint64_t interval_ns = atomic_exchange(&timer.interval_ns, 0);
    if (make_timer(signal_number) == 0 && interval_ns != 0)
        (void)process_timer_serve(interval_ns); /* there is one */
}

bool process_timer_is_signal(const siginfo_t *info)
{
    return held_timer_is_marked(info, &our_value);
}

void process_timer_delete(void)
{
    held_timer_delete(&timer.held);
    atomic_store(&timer.interval_ns, 0);
}

void process_timer_after_fork_child(void)
{
    held_timer_after_fork_child(&timer.held);
    atomic_store(&timer.interval_ns, 0);
}
