#include "child-agent/sampler/perf_clock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    NS_PER_SECOND = 1000000000,
    SHORTEST_INTERVAL_NS = 10 * 1000, /* the kernel rounds up to it */
    ORDINARY_TABLE = 1024,
    NUMBER_BYTES = 32,
};

static _Atomic int shown_number; /* what all events show as theirs; 0: there was none yet */

uint64_t perf_clock_granted_interval_ns(uint64_t interval_ns, uint64_t most_per_second)
{
    uint64_t shortest_ns = SHORTEST_INTERVAL_NS;
    if (most_per_second != 0 && NS_PER_SECOND / most_per_second > shortest_ns)
        shortest_ns = NS_PER_SECOND / most_per_second;
    return interval_ns > shortest_ns ? interval_ns : shortest_ns;
}

uint64_t perf_clock_most_per_second(void)
{
    char text[NUMBER_BYTES] = "";
    int fd = open("/proc/sys/kernel/perf_event_max_sample_rate", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t got = read(fd, text, sizeof(text) - 1);
    close(fd);
    return got > 0 ? strtoull(text, NULL, 10) : 0;
}

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
    const struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = thread };
    int err = 0;
    if (number <= fd)
        return -EMFILE;
    if (dup3(fd, number, O_CLOEXEC) < 0)
        return errno == EBADF ? -EMFILE : -errno; /* the limit was lowered */
    if (fcntl(number, F_SETSIG, signal_number) < 0 || fcntl(number, F_SETOWN_EX, &owner) < 0 ||
        fcntl(number, F_SETFL, O_ASYNC) < 0)
        err = -errno;
    close(number);
    return err;
}

int perf_clock_open(struct profd_thread_id thread, uint64_t interval_ns, int signal_number,
                    int *descriptor)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(attributes),
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = interval_ns,
        .wakeup_events = 1,
        .disabled = 1,
    };
    int number = choose_number();
    int fd =
        (int)syscall(SYS_perf_event_open, &attributes, thread.number, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return -errno;
    int err = tell_to_signal(fd, number, thread.number, signal_number);
    if (err == 0 && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
        err = -errno;
    if (err < 0) {
        close(fd);
        return err;
    }
    *descriptor = fd;
    return 0;
}

enum clock_refusal perf_clock_refusal(int err)
{
    switch (err) {
    case 0:
    case -ESRCH:
        return CLOCK_REFUSAL_NONE;
    case -EACCES:
    case -EPERM:
    case -ENOSYS:
        return CLOCK_REFUSAL_KERNEL;
    case -EMFILE:
    case -ENFILE:
        return CLOCK_REFUSAL_DESCRIPTORS;
    default:
        return CLOCK_REFUSAL_OTHER;
    }
}

/* The kernel says SI_SIGIO where POLL_IN would mean something else for that signal. */
bool perf_clock_is_signal(const siginfo_t *info)
{
    int number = atomic_load_explicit(&shown_number, memory_order_relaxed);
    return number != 0 && (info->si_code == POLL_IN || info->si_code == SI_SIGIO) &&
           info->si_fd == number;
}

void perf_clock_after_fork_child(void)
{
    atomic_store(&shown_number, 0);
}
