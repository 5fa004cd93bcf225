#include "daemon/compact_arena.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COPY_BUFFER_BYTES = 64 * 1024, PAGE_ALIGNMENT = 4096 };

static uint64_t align_up(uint64_t value)
{
    return (value + PAGE_ALIGNMENT - 1) & ~(uint64_t)(PAGE_ALIGNMENT - 1);
}

static bool range_fits(uint64_t offset, uint64_t bytes, uint64_t file_bytes)
{
    return offset <= file_bytes && bytes <= file_bytes - offset;
}

int compact_plan_make(const struct arena_header *header, uint64_t file_bytes,
                      struct compact_plan *plan)
{
    uint64_t chunks_bytes = (uint64_t)header->chunk_count * CHUNK_BYTES;
    uint64_t used_chunks = atomic_load_explicit(&header->chunk_high_water, memory_order_relaxed);
    uint32_t dictionary_bytes =
        atomic_load_explicit(&header->dictionary_used_bytes, memory_order_relaxed);

    if (header->magic != ARENA_MAGIC || header->version != ARENA_VERSION ||
        header->chunk_bytes != CHUNK_BYTES || header->dictionary_offset != ARENA_HEADER_BYTES ||
        header->dictionary_bytes > ARENA_DICTIONARY_BYTES ||
        header->chunk_count > ARENA_MAX_CHUNKS ||
        !range_fits(header->dictionary_offset, header->dictionary_bytes, file_bytes) ||
        !range_fits(header->chunks_offset, chunks_bytes, file_bytes))
        return -EPROTO;
    if (used_chunks > header->chunk_count)
        used_chunks = header->chunk_count;
    if (dictionary_bytes > header->dictionary_bytes)
        dictionary_bytes = header->dictionary_bytes;

    memcpy(&plan->header, header, sizeof(*header));
    plan->source_chunks_offset = header->chunks_offset;
    plan->header.dictionary_bytes = (uint32_t)align_up(dictionary_bytes);
    plan->header.chunks_offset = header->dictionary_offset + plan->header.dictionary_bytes;
    plan->header.chunk_count = (uint32_t)used_chunks;
    plan->header.total_bytes = plan->header.chunks_offset + used_chunks * CHUNK_BYTES;
    return 0;
}

/* Reads up to BYTES at OFFSET; what is short of the end of the file is an error. */
static int read_all(int fd, void *out, size_t bytes, uint64_t offset)
{
    uint8_t *next = out;

    while (bytes > 0) {
        ssize_t got = pread(fd, next, bytes, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : -EIO;
        next += got;
        bytes -= (size_t)got;
        offset += (uint64_t)got;
    }
    return 0;
}

static int write_all(int fd, const void *from, size_t bytes, uint64_t offset)
{
    const uint8_t *next = from;

    while (bytes > 0) {
        ssize_t put = pwrite(fd, next, bytes, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -errno;
        next += put;
        bytes -= (size_t)put;
        offset += (uint64_t)put;
    }
    return 0;
}

int compact_plan_read(int arena_fd, struct compact_plan *plan)
{
    struct arena_header header;
    struct stat status;

    int seals = fcntl(arena_fd, F_GET_SEALS);
    if (seals < 0 || !(seals & F_SEAL_SHRINK))
        return -EPROTO;
    if (fstat(arena_fd, &status) < 0)
        return -errno;
    if ((uint64_t)status.st_size < sizeof(header))
        return -EPROTO;
    int error = read_all(arena_fd, &header, sizeof(header), 0);
    return error < 0 ? error : compact_plan_make(&header, (uint64_t)status.st_size, plan);
}

static int copy_range(int from_fd, uint64_t from, int to_fd, uint64_t to, uint64_t bytes,
                      uint64_t *memory_bytes)
{
    uint8_t buffer[COPY_BUFFER_BYTES];

    *memory_bytes += align_up(bytes);
    while (bytes > 0) {
        size_t part = bytes < sizeof(buffer) ? (size_t)bytes : sizeof(buffer);
        int error = read_all(from_fd, buffer, part, from);
        if (error == 0)
            error = write_all(to_fd, buffer, part, to);
        if (error < 0)
            return error;
        from += part;
        to += part;
        bytes -= part;
    }
    return 0;
}

/* The used bytes of the chunk at OFFSET with its header; 0 when it holds nothing of the generation.
 */
static int chunk_used_bytes(int arena_fd, uint64_t offset, uint32_t generation, uint64_t *out)
{
    struct chunk header;
    int error = read_all(arena_fd, &header, sizeof(header), offset);
    if (error < 0)
        return error;

    uint32_t used = atomic_load_explicit(&header.offset_past_last_block, memory_order_relaxed);
    bool is_empty = atomic_load_explicit(&header.state, memory_order_relaxed) == CHUNK_FREE ||
                    header.generation != generation || used == 0;
    if (used > CHUNK_BUFFER_BYTES)
        used = CHUNK_BUFFER_BYTES;
    *out = is_empty ? 0 : CHUNK_HEADER_BYTES + (uint64_t)used;
    return 0;
}

static int copy_chunks(int arena_fd, const struct compact_plan *plan, int store_fd, uint64_t offset,
                       uint64_t *memory_bytes)
{
    uint32_t generation = atomic_load_explicit(&plan->header.generation, memory_order_relaxed);

    for (uint64_t i = 0; i < plan->header.chunk_count; i++) {
        uint64_t from = plan->source_chunks_offset + i * CHUNK_BYTES;
        uint64_t to = offset + plan->header.chunks_offset + i * CHUNK_BYTES;
        uint64_t used;
        int error = chunk_used_bytes(arena_fd, from, generation, &used);
        if (error == 0)
            error = copy_range(arena_fd, from, store_fd, to, used, memory_bytes);
        if (error < 0)
            return error;
    }
    return 0;
}

int compact_copy(int arena_fd, const struct compact_plan *plan, int store_fd, uint64_t offset,
                 uint64_t *memory_bytes)
{
    uint32_t dictionary_bytes =
        atomic_load_explicit(&plan->header.dictionary_used_bytes, memory_order_relaxed);
    int error = write_all(store_fd, &plan->header, sizeof(plan->header), offset);

    *memory_bytes = align_up(sizeof(plan->header));
    if (dictionary_bytes > plan->header.dictionary_bytes)
        dictionary_bytes = plan->header.dictionary_bytes;
    if (error == 0)
        error = copy_range(arena_fd, ARENA_HEADER_BYTES, store_fd, offset + ARENA_HEADER_BYTES,
                           dictionary_bytes, memory_bytes);
    if (error == 0)
        error = copy_chunks(arena_fd, plan, store_fd, offset, memory_bytes);
    return error;
}
