#include "daemon/children/pidfd.h"

#include <errno.h>
#include <linux/types.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* From the kernel's user-space headers of 6.15, which this system's need not have. */
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

struct pidfd_information {
    __u64 mask;
    __u64 cgroup_id;
    __u32 ids[11]; /* pid, tgid, ppid, then users and groups */
    __s32 exit_code;
};
#define PIDFD_INFORMATION_EXIT (1ULL << 3)
#define PIDFD_GET_INFORMATION  _IOWR(0xFF, 11, struct pidfd_information)

int pidfd_of_peer(int fd, pid_t pid)
{
    int pidfd;
    socklen_t length = sizeof(pidfd);

    if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &length) == 0)
        return pidfd;
    return pidfd_of_process(pid);
}

/* The kernel's words about a descriptor do not ask the file system that it is of. */
static bool read_number(int fd, pid_t *pid)
{
    char path[48], line[128];
    bool is_pidfd = false;

    snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
    FILE *facts = fopen(path, "re");
    if (facts == NULL)
        return false;
    while (!is_pidfd && fgets(line, sizeof(line), facts) != NULL)
        is_pidfd = sscanf(line, "Pid: %d", pid) == 1;
    fclose(facts);
    return is_pidfd;
}

bool pidfd_is_one(int fd)
{
    pid_t pid;

    return read_number(fd, &pid);
}

pid_t pidfd_number(int pidfd)
{
    pid_t pid;

    return read_number(pidfd, &pid) && pid > 0 ? pid : 0;
}

bool pidfd_has_ended(int pidfd)
{
    struct pollfd poll_one = { .fd = pidfd, .events = POLLIN };
    return poll(&poll_one, 1, 0) == 1 && poll_one.revents != 0;
}

bool pidfd_was_reaped(int pidfd)
{
    return syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) < 0 && errno == ESRCH;
}

int pidfd_wait_status(int pidfd, int *wait_status)
{
    struct pidfd_information information = { .mask = PIDFD_INFORMATION_EXIT };

    if (ioctl(pidfd, PIDFD_GET_INFORMATION, &information) < 0) {
        /* ESRCH: reaped, on a kernel that has the call but keeps no exit status. */
        return errno == EAGAIN ? -EAGAIN : -ENOTSUP;
    }
    if (!(information.mask & PIDFD_INFORMATION_EXIT))
        return -EAGAIN;
    *wait_status = information.exit_code;
    return 0;
}
