#include "buffer/perf_event.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/time_units.h"

enum {
    SHORTEST_INTERVAL_NS = 10 * NS_PER_US, /* the kernel rounds up to it */
    NUMBER_BYTES = 32,
};

uint64_t perf_event_granted_interval_ns(uint64_t interval_ns, uint64_t most_per_second)
{
    uint64_t shortest_ns = SHORTEST_INTERVAL_NS;
    if (most_per_second != 0 && NS_PER_S / most_per_second > shortest_ns)
        shortest_ns = NS_PER_S / most_per_second;
    return interval_ns > shortest_ns ? interval_ns : shortest_ns;
}

uint64_t perf_event_most_per_second(void)
{
    char text[NUMBER_BYTES] = "";
    int fd = open("/proc/sys/kernel/perf_event_max_sample_rate", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t got = read(fd, text, sizeof(text) - 1);
    close(fd);
    return got > 0 ? strtoull(text, NULL, 10) : 0;
}

static int open_event(struct perf_event_attr *attributes, pid_t thread)
{
    return (int)syscall(SYS_perf_event_open, attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int perf_event_create(pid_t thread, uint64_t interval_ns, int *descriptor)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(attributes),
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = interval_ns,
        .wakeup_events = 1,
        .disabled = 1,
        .remove_on_exec = 1,
    };
    int fd = open_event(&attributes, thread);
    if (fd < 0 && errno == EINVAL) {
        attributes.remove_on_exec = 0; /* a kernel that does not know it */
        fd = open_event(&attributes, thread);
    }
    if (fd < 0)
        return -errno;
    *descriptor = fd;
    return 0;
}

bool perf_event_may_send(int signal_number)
{
    return signal_number == SIGURG || signal_number == SIGWINCH || signal_number == SIGCHLD ||
           signal_number == SIGCONT;
}

int perf_event_direct(int descriptor, pid_t thread, int signal_number)
{
    const struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = thread };
    if (fcntl(descriptor, F_SETSIG, signal_number) < 0 ||
        fcntl(descriptor, F_SETOWN_EX, &owner) < 0 || fcntl(descriptor, F_SETFL, O_ASYNC) < 0)
        return -errno;
    return 0;
}

int perf_event_start(int descriptor)
{
    return ioctl(descriptor, PERF_EVENT_IOC_ENABLE, 0) < 0 ? -errno : 0;
}

int perf_event_rest(int descriptor)
{
    return ioctl(descriptor, PERF_EVENT_IOC_DISABLE, 0) < 0 ? -errno : 0;
}

enum clock_refusal perf_event_refusal(int error)
{
    switch (error) {
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
