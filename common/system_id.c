#include "common/system_id.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int boot_id_read(char out[BOOT_ID_BYTES])
{
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t got = read(fd, out, BOOT_ID_BYTES - 1);
    close(fd);
    if (got <= 0)
        return -EIO;
    out[got] = '\0';
    out[strcspn(out, "\n")] = '\0';
    return 0;
}

uint64_t pid_namespace(void)
{
    struct stat status;
    /* The process's, which is found sooner, is gone once its main thread has ended. */
    if (stat("/proc/self/ns/pid", &status) < 0 && stat("/proc/thread-self/ns/pid", &status) < 0)
        return 0;
    return status.st_ino;
}

uint64_t pid_namespace_of_children(void)
{
    struct stat status;
    return stat("/proc/thread-self/ns/pid_for_children", &status) == 0 ? status.st_ino : 0;
}
