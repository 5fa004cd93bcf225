#include "daemon/memory/exit_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffer/arena.h"
#include "buffer/chunk.h"
#include "buffer/file_range.h"
#include "daemon/log.h"

enum { PAGE_BYTES = 4096, BLOCK_BYTES = 512 };

static int make_descriptors(struct exit_file *file)
{
    char path[64];
    int fd = memfd_create("profd-exit-profiles", MFD_CLOEXEC);

    if (fd < 0)
        return -errno;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    int reading_fd = open(path, O_RDONLY | O_CLOEXEC);
    if (reading_fd < 0) {
        int error = -errno;
        close(fd);
        return error;
    }
    *file = (struct exit_file){ .fd = fd, .reading_fd = reading_fd, .users = 1 };
    return 0;
}

int exit_file_create(struct exit_file **out)
{
    struct exit_file *file = malloc(sizeof(*file));

    if (file == NULL)
        return -ENOMEM;
    int error = make_descriptors(file);
    if (error < 0) {
        free(file);
        return error;
    }
    *out = file;
    return 0;
}

void exit_file_ref(struct exit_file *file)
{
    file->users++;
}

void exit_file_unref(struct exit_file *file)
{
    if (file == NULL || --file->users > 0)
        return;
    close(file->reading_fd);
    close(file->fd);
    free(file);
}

int exit_file_append(struct exit_file *file, uint64_t bytes, uint64_t *offset)
{
    /* The reader maps the whole part: a hole at its end must be in the file too. */
    if (ftruncate(file->fd, (off_t)(file->end_offset + bytes)) < 0)
        return -errno;
    *offset = file->end_offset;
    file->end_offset += (bytes + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
    return 0;
}

void exit_file_punch(const struct exit_file *file, uint64_t offset, uint64_t bytes)
{
    int error = file_range_punch(file->fd, offset, bytes);

    if (error < 0)
        log_warn("cannot free the memory of a dropped profile, which stays in use: %s",
                 strerror(-error));
}

uint64_t exit_file_kernel_bytes(const struct exit_file *file)
{
    struct stat status;

    if (fstat(file->fd, &status) < 0)
        return 0;
    return (uint64_t)status.st_blocks * BLOCK_BYTES;
}

static int read_header(const struct exit_file *file, uint64_t offset, struct arena_header *out)
{
    return pread(file->fd, out, sizeof(*out), (off_t)offset) == sizeof(*out) ? 0 : -EIO;
}

void exit_file_read_account(const struct exit_file *file, uint64_t offset,
                            struct block_account *out)
{
    struct arena_header header;

    *out = (struct block_account){ 0 };
    if (read_header(file, offset, &header) == 0)
        block_account_of(&header, out);
}

int exit_file_drop_chunk(const struct exit_file *file, uint64_t offset, uint32_t slot)
{
    struct arena_header header;
    struct chunk chunk;

    if (read_header(file, offset, &header) < 0)
        return -EIO;
    uint64_t chunk_offset = offset + header.chunks_offset + (uint64_t)slot * CHUNK_BYTES;
    if (pread(file->fd, &chunk, sizeof(chunk), (off_t)chunk_offset) != sizeof(chunk))
        return -EIO;
    if (atomic_load(&chunk.state) != CHUNK_RELEASED) /* its writer ended before it gave it back */
        arena_count_closed_chunk(&header, &chunk);
    arena_count_recycled_chunk(&header, &chunk);
    if (pwrite(file->fd, &header, sizeof(header), (off_t)offset) != sizeof(header))
        return -EIO;
    exit_file_punch(file, chunk_offset, CHUNK_BYTES);
    return 0;
}
