#include "ipc/ledger_reference.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "buffer/file_range.h"
#include "buffer/lease_ledger.h"
#include "ipc/ledger_memfd.h"

#define REFERENCE_MAGIC 0x4652525052444750ULL

enum { NEW_PATH_BYTES = sizeof(((struct sockaddr_un *)0)->sun_path) + sizeof(".leases.new") };

struct reference {
    uint64_t magic;
    uint64_t identity; /* of the ledger */
    int32_t holder, fd;
};

static int read_identity(int fd, uint64_t *out)
{
    struct lease_ledger ledger;
    int error = lease_ledger_open(fd, LEASE_LEDGER_MIN_UNITS, &ledger);

    if (error < 0)
        return error;
    *out = ledger.header->identity;
    lease_ledger_close(&ledger);
    return 0;
}

static int write_new_file(const char *path, const struct reference *reference)
{
    (void)unlink(path); /* of somebody who was killed before the rename */
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

    if (fd < 0)
        return -errno;
    int error = file_range_write(fd, reference, sizeof(*reference), 0);
    close(fd);
    if (error < 0)
        (void)unlink(path);
    return error;
}

int ledger_reference_write(const char *path, pid_t holder, int fd)
{
    struct reference reference = { .magic = REFERENCE_MAGIC, .holder = holder, .fd = fd };
    char new_path[NEW_PATH_BYTES];

    int length = snprintf(new_path, sizeof(new_path), "%s.new", path);
    if (length < 0 || (size_t)length >= sizeof(new_path))
        return -ENAMETOOLONG;
    int error = read_identity(fd, &reference.identity);
    if (error == 0)
        error = write_new_file(new_path, &reference);
    if (error == 0 && rename(new_path, path) < 0)
        error = -errno;
    return error;
}

/* Process ids are used again: another process may have another ledger under the number, or may want
 * to be taken for the keeper. */
static bool is_referred_to(int fd, const struct reference *reference)
{
    uint64_t identity = 0;
    return ledger_memfd_is_sealed(fd) && read_identity(fd, &identity) == 0 &&
           identity == reference->identity;
}

static int open_held(const struct reference *reference, int *held_fd)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/fd/%d", reference->holder, reference->fd);
    if (!ledger_memfd_is_at(path))
        return -ESTALE;
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) /* the holder may have ended just now */
        return errno == ENOENT || errno == ESRCH ? -ESTALE : -errno;
    if (!is_referred_to(fd, reference)) {
        close(fd);
        return -ESTALE;
    }
    *held_fd = fd;
    return 0;
}

int ledger_reference_follow(int fd, int *held_fd)
{
    struct reference reference;

    *held_fd = -1;
    ssize_t got = pread(fd, &reference, sizeof(reference), 0);
    if (got < 0)
        return -errno;
    if (got != (ssize_t)sizeof(reference) || reference.magic != REFERENCE_MAGIC)
        return 0;
    return open_held(&reference, held_fd);
}
