#include "child-agent/guest/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    /* Below this a shell or a select() loop lives; above RLIMIT_NOFILE there is nothing. */
    DESCRIPTOR_PREFERRED = 900,
    DESCRIPTOR_ROOM_BELOW_LIMIT = 24,
};

static struct descriptor_identity remembered[DESCRIPTOR_ROLE_COUNT] = {
    { .fd = -1 },
    { .fd = -1 },
    { .fd = -1 },
};

int descriptor_minimum(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
        return DESCRIPTOR_PREFERRED;
    if (limit.rlim_cur > DESCRIPTOR_PREFERRED + DESCRIPTOR_ROOM_BELOW_LIMIT)
        return DESCRIPTOR_PREFERRED;
    if (limit.rlim_cur > 2 * DESCRIPTOR_ROOM_BELOW_LIMIT)
        return (int)limit.rlim_cur - DESCRIPTOR_ROOM_BELOW_LIMIT;
    return 0;
}

bool descriptor_has_room(int count)
{
    int first = eventfd(0, EFD_CLOEXEC);
    int second = first >= 0 && count > 1 ? eventfd(0, EFD_CLOEXEC) : first;
    if (second >= 0 && second != first)
        close(second);
    if (first >= 0)
        close(first);
    return second >= 0;
}

int descriptor_move_high(int fd)
{
    int high = fcntl(fd, F_DUPFD_CLOEXEC, descriptor_minimum());
    if (high < 0)
        return -errno;
    close(fd);
    return high;
}

void descriptor_remember(enum descriptor_role role, int fd)
{
    struct stat status;
    if (fstat(fd, &status) < 0) {
        remembered[role].fd = -1;
        return;
    }
    remembered[role].fd = fd;
    remembered[role].device = status.st_dev;
    remembered[role].inode = status.st_ino;
}

static bool is_here(const struct descriptor_identity *identity)
{
    struct stat status;
    return identity->fd >= 0 && fstat(identity->fd, &status) == 0 &&
           status.st_dev == identity->device && status.st_ino == identity->inode;
}

bool descriptor_is_ours(enum descriptor_role role)
{
    return is_here(&remembered[role]);
}

struct descriptor_identity descriptor_identity(enum descriptor_role role)
{
    return remembered[role];
}

void descriptor_close_here(const struct descriptor_identity *identity)
{
    if (is_here(identity))
        close(identity->fd);
}

int descriptor_number(enum descriptor_role role)
{
    return descriptor_is_ours(role) ? remembered[role].fd : -1;
}

void descriptor_close(enum descriptor_role role)
{
    if (descriptor_is_ours(role))
        close(remembered[role].fd);
    remembered[role].fd = -1;
}
