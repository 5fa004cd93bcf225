#include "buffer/arena_source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int arena_source_open(int fd, struct arena_source *out)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return -errno;
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (own < 0)
        return -errno;
    *out = (struct arena_source){ .memory = NULL, .fd = own, .bytes = (uint64_t)status.st_size };
    return 0;
}

int arena_source_open_memory(const void *memory, size_t bytes, struct arena_source *out)
{
    if ((uintptr_t)memory % sizeof(uint64_t) != 0)
        return -EINVAL;
    *out = (struct arena_source){ .memory = memory, .fd = -1, .bytes = bytes };
    return 0;
}

void arena_source_close(struct arena_source *source)
{
    if (source->fd >= 0)
        close(source->fd);
    source->fd = -1;
}

/* Races with writers on purpose: the reader throws a copy away whose chunk changed meanwhile, which
 * a race detector cannot know. */
__attribute__((no_sanitize("thread"))) static void copy_shared(uint8_t *out, const uint8_t *in,
                                                               size_t bytes)
{
    size_t done = 0;
    if ((uintptr_t)in % sizeof(uint64_t) == 0) {
        for (; done + sizeof(uint64_t) <= bytes; done += sizeof(uint64_t)) {
            const uint64_t *word = (const uint64_t *)(const void *)(in + done);
            uint64_t value = __atomic_load_n(word, __ATOMIC_ACQUIRE);
            memcpy(out + done, &value, sizeof(value));
        }
    }
    for (; done < bytes; done++)
        out[done] = __atomic_load_n(in + done, __ATOMIC_ACQUIRE);
}

static int read_file(int fd, uint64_t offset, uint8_t *out, size_t bytes)
{
    while (bytes > 0) {
        ssize_t count = pread(fd, out, bytes, (off_t)offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return -errno;
        if (count == 0)
            return -EIO;
        out += count;
        offset += (uint64_t)count;
        bytes -= (size_t)count;
    }
    return 0;
}

int arena_source_read(const struct arena_source *source, uint64_t offset, void *out, size_t bytes)
{
    if (offset > source->bytes || bytes > source->bytes - offset)
        return -EIO;
    if (source->memory == NULL)
        return read_file(source->fd, offset, out, bytes);
    copy_shared(out, source->memory + offset, bytes);
    return 0;
}
