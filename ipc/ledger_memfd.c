#include "ipc/ledger_memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MEMFD_NAME "profd-leases"

enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

int ledger_memfd_create(void)
{
    int fd = memfd_create(MEMFD_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return fd < 0 ? -errno : fd;
}

int ledger_memfd_seal(int fd)
{
    return fcntl(fd, F_ADD_SEALS, SEALS) < 0 ? -errno : 0;
}

bool ledger_memfd_is_sealed(int fd)
{
    int seals = fcntl(fd, F_GET_SEALS);
    return seals >= 0 && (seals & SEALS) == SEALS;
}

bool ledger_memfd_is_at(const char *path)
{
    static const char expected[] = "/memfd:" MEMFD_NAME;
    char target[sizeof(expected)];
    ssize_t length = readlink(path, target, sizeof(expected) - 1);

    return length == (ssize_t)sizeof(expected) - 1 && memcmp(target, expected, (size_t)length) == 0;
}
