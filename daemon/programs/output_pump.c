#include "daemon/programs/output_pump.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    /* Between two looks whether to stop: about 3 ms of a file's copying. */
    PART_BYTES = 8 * 1024 * 1024,
    /* A pipe that polls as writable takes so much without blocking. */
    PIPE_PART_BYTES = 4096,
    /* From this size, setting room aside is worth its cost. */
    ROOM_BYTES = 1024 * 1024,
};

/* Waits until the output takes something. */
static int wait_for_room(const struct output_pump *pump)
{
    struct pollfd both[] = {
        { .fd = pump->output_fd, .events = POLLOUT },
        { .fd = pump->cancel_fd, .events = POLLIN },
    };

    for (;;) {
        int ready = poll(both, 2, -1);
        if (ready < 0 && errno != EINTR)
            return -errno;
        if (ready > 0 && both[1].revents != 0)
            return -ECANCELED;
        if (ready > 0 && both[0].revents & POLLOUT)
            return 0;
        if (ready > 0 && both[0].revents != 0)
            return -EPIPE;
    }
}

/* Copies a part through memory, into what the kernel cannot move to by itself: a terminal, a file
 * opened for appending. */
static ssize_t copy_part(const struct output_pump *pump, int source_fd, loff_t *offset,
                         size_t count)
{
    char buffer[PIPE_PART_BYTES];
    ssize_t got =
        pread(source_fd, buffer, count < sizeof(buffer) ? count : sizeof(buffer), *offset);

    if (got <= 0)
        return got < 0 ? -errno : 0;
    ssize_t written = write(pump->output_fd, buffer, (size_t)got);
    if (written < 0)
        return -errno;
    *offset += written;
    return written;
}

static bool is_of_type(int fd, mode_t type)
{
    struct stat status;
    return fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == type;
}

/* One step that doesn't block: bytes moved, -EAGAIN, or another error. */
static ssize_t move_part(const struct output_pump *pump, int source_fd, loff_t *offset,
                         uint64_t count)
{
    size_t part = count < PART_BYTES ? (size_t)count : PART_BYTES;
    ssize_t moved;

    if (is_of_type(pump->output_fd, S_IFIFO))
        moved = splice(source_fd, offset, pump->output_fd, NULL, part, SPLICE_F_NONBLOCK);
    else if (is_of_type(pump->output_fd, S_IFREG))
        moved = sendfile(pump->output_fd, source_fd, offset, part);
    else
        return copy_part(pump, source_fd, offset, part);
    if (moved < 0 && errno == EINVAL)
        return copy_part(pump, source_fd, offset, part);
    return moved < 0 ? -errno : moved;
}

int output_pump_move(struct output_pump *pump, int source_fd, uint64_t count)
{
    loff_t offset = 0;

    while (count > 0) {
        int error = wait_for_room(pump);
        if (error < 0)
            return error;
        ssize_t moved = move_part(pump, source_fd, &offset, count);
        if (moved == -EAGAIN || moved == -EINTR)
            continue;
        if (moved <= 0)
            return moved < 0 ? (int)moved : -EIO;
        count -= (uint64_t)moved;
        atomic_fetch_add_explicit(&pump->bytes, (uint64_t)moved, memory_order_relaxed);
    }
    return 0;
}

int output_pump_write(struct output_pump *pump, const char *bytes, uint64_t count)
{
    const uint64_t most = is_of_type(pump->output_fd, S_IFREG) ? PART_BYTES : PIPE_PART_BYTES;

    while (count > 0) {
        int error = wait_for_room(pump);
        if (error < 0)
            return error;
        ssize_t written = write(pump->output_fd, bytes, count < most ? count : most);
        if (written < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (written < 0)
            return -errno;
        bytes += written;
        count -= (uint64_t)written;
        atomic_fetch_add_explicit(&pump->bytes, (uint64_t)written, memory_order_relaxed);
    }
    return 0;
}

void output_pump_expect(struct output_pump *pump, uint64_t count)
{
    if (count < ROOM_BYTES || !is_of_type(pump->output_fd, S_IFREG))
        return;
    off_t start = lseek(pump->output_fd, 0, SEEK_CUR);
    /* A refusal changes nothing: a full disk is an error of writing. */
    if (start >= 0 && fallocate(pump->output_fd, FALLOC_FL_KEEP_SIZE, start, (off_t)count) == 0)
        pump->end_of_room = (uint64_t)start + count;
}

void output_pump_settle(struct output_pump *pump)
{
    struct stat status;

    if (pump->end_of_room == 0)
        return;
    if (fstat(pump->output_fd, &status) == 0 && (uint64_t)status.st_size < pump->end_of_room &&
        ftruncate(pump->output_fd, status.st_size) < 0)
        return;
    pump->end_of_room = 0;
}
