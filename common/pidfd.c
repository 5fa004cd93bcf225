#include "common/pidfd.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* From the kernel's user-space headers, which this system's need not have. */
#define PIDFS_MAGIC_NUMBER 0x50494446

static bool is_of_pidfs(int pidfd)
{
    struct statfs file_system;

    return fstatfs(pidfd, &file_system) == 0 && file_system.f_type == PIDFS_MAGIC_NUMBER;
}

int pidfd_of_process(pid_t pid)
{
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);

    return pidfd < 0 ? -errno : pidfd;
}

uint64_t pidfd_identity(int pidfd)
{
    int call_errno = errno;
    struct stat status;
    uint64_t identity = is_of_pidfs(pidfd) && fstat(pidfd, &status) == 0 ? status.st_ino : 0;

    errno = call_errno;
    return identity;
}

uint64_t pidfd_identity_of_process(pid_t pid)
{
    int call_errno = errno;
    int pidfd = pidfd_of_process(pid);
    uint64_t identity = pidfd >= 0 ? pidfd_identity(pidfd) : 0;

    if (pidfd >= 0)
        close(pidfd);
    errno = call_errno;
    return identity;
}
