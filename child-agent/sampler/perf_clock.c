#include "child-agent/sampler/perf_clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

#include "buffer/perf_event.h"

enum { ORDINARY_TABLE = 1024 };

static _Atomic int shown_number; /* what all events show as theirs; 0: there was none yet */

/* The number that events show, which no other descriptor of this table has. */
static int choose_number(void)
{
    struct rlimit limit;
    int number = atomic_load(&shown_number);
    if (number != 0)
        return number;
    number = ORDINARY_TABLE - 1;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < ORDINARY_TABLE)
        number = (int)limit.rlim_cur - 1;
    atomic_store(&shown_number, number);
    return number;
}

/* Signals show the number that the descriptor had when it was told to signal. */
static int tell_to_signal(int fd, int number, pid_t thread, int signal_number)
{
    if (number <= fd)
        return -EMFILE;
    if (dup3(fd, number, O_CLOEXEC) < 0)
        return errno == EBADF ? -EMFILE : -errno; /* the limit was lowered */
    int error = perf_event_direct(number, thread, signal_number);
    close(number);
    return error;
}

int perf_clock_open(struct profd_thread_id thread, uint64_t interval_ns, int signal_number,
                    int *descriptor)
{
    int fd;
    int number = choose_number();
    int error = perf_event_create(thread.number, interval_ns, &fd);
    if (error < 0)
        return error;
    error = tell_to_signal(fd, number, thread.number, signal_number);
    if (error == 0)
        error = perf_event_start(fd);
    if (error < 0) {
        close(fd);
        return error;
    }
    *descriptor = fd;
    return 0;
}

/* The kernel says SI_SIGIO where POLL_IN would mean something else for that signal. */
bool perf_clock_is_of_number(const siginfo_t *info, int number)
{
    return number != 0 && (info->si_code == POLL_IN || info->si_code == SI_SIGIO) &&
           info->si_fd == number;
}

bool perf_clock_is_signal(const siginfo_t *info)
{
    return perf_clock_is_of_number(info, atomic_load_explicit(&shown_number, memory_order_relaxed));
}

void perf_clock_after_fork_child(void)
{
    atomic_store(&shown_number, 0);
}
