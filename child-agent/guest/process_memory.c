#include "child-agent/guest/process_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/uio.h>
#include <unistd.h>

static __thread bool may_open;

void process_memory_allow_descriptors(void)
{
    may_open = true;
}

/* For kernels and containers that refuse process_vm_readv. */
static int read_from_proc(uint64_t address, void *out, size_t bytes)
{
    if (!may_open)
        return -EPERM;
    int fd = open("/proc/thread-self/mem", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t got = pread(fd, out, bytes, (off_t)address);
    close(fd);
    return got == (ssize_t)bytes ? 0 : -EFAULT;
}

int process_memory_read(uint64_t address, void *out, size_t bytes)
{
    struct iovec local = { out, bytes };
    struct iovec remote = { (void *)(uintptr_t)address, bytes };
    /* Of the thread: the process has none once its main thread has ended. */
    ssize_t got = process_vm_readv(gettid(), &local, 1, &remote, 1, 0);
    if (got == (ssize_t)bytes)
        return 0;
    if (got < 0 && (errno == EPERM || errno == ENOSYS))
        return read_from_proc(address, out, bytes);
    return -EFAULT;
}
