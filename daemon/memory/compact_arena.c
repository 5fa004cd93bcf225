#include "daemon/memory/compact_arena.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffer/file_range.h"

enum { PAGE_ALIGNMENT = 4096 };

static uint64_t align_offset(uint64_t value)
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
    plan->header.dictionary_bytes = (uint32_t)align_offset(dictionary_bytes);
    plan->header.chunks_offset = header->dictionary_offset + plan->header.dictionary_bytes;
    plan->header.chunk_count = (uint32_t)used_chunks;
    plan->header.groups.offset = 0; /* they are no part of a profile */
    plan->header.total_bytes = plan->header.chunks_offset + used_chunks * CHUNK_BYTES;
    return 0;
}

int compact_plan_read(int arena_fd, struct compact_plan *plan)
{
    struct arena_header header;
    struct stat status;

    int seals = fcntl(arena_fd, F_GET_SEALS);
    if (seals < 0 || !(seals & F_SEAL_SHRINK) || (seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)))
        return -EPROTO;
    if (fstat(arena_fd, &status) < 0)
        return -errno;
    if ((uint64_t)status.st_size < sizeof(header))
        return -EPROTO;
    int error = file_range_read(arena_fd, &header, sizeof(header), 0);
    return error < 0 ? error : compact_plan_make(&header, (uint64_t)status.st_size, plan);
}

/* A move under way. */
struct move {
    int arena_fd, store_fd;
    uint64_t offset; /* of the copy in the store */
    uint64_t end_ns, budget_bytes;
    struct compact_result *result;
};

/* Moves BYTES at FROM in the arena to TO in the copy, a few pages at a time. */
static int move_range(const struct move *move, uint64_t from, uint64_t to, uint64_t bytes)
{
    uint8_t buffer[COMPACT_STEP_BYTES];

    while (bytes > 0) {
        size_t part = bytes < sizeof(buffer) ? (size_t)bytes : sizeof(buffer);
        if (move->result->memory_bytes + align_offset(part) > move->budget_bytes)
            return -EFBIG;
        int error = file_range_read(move->arena_fd, buffer, part, from);
        if (error == 0)
            error = file_range_write(move->store_fd, buffer, part, move->offset + to);
        if (error == 0)
            error = file_range_punch(move->arena_fd, from, align_offset(part));
        if (error < 0)
            return error;
        move->result->memory_bytes += align_offset(part);
        from += part;
        to += part;
        bytes -= part;
    }
    return 0;
}

/* The used bytes of the chunk with HEADER, with its header; 0 when it holds nothing of the
 * generation. */
static uint64_t used_bytes(const struct chunk *header, uint32_t generation)
{
    uint32_t used = chunk_used_bytes(header);

    if (!chunk_has_memory(header) || header->generation != generation || used == 0)
        return 0;
    return CHUNK_HEADER_BYTES + used;
}

static uint64_t done_time(const struct chunk *header, uint64_t end_ns)
{
    uint64_t done_ns = header->done.monotonic_ns;
    return done_ns != 0 && done_ns < end_ns ? done_ns : end_ns;
}

static int move_chunk(const struct move *move, const struct compact_plan *plan, uint32_t slot)
{
    uint32_t generation = atomic_load_explicit(&plan->header.generation, memory_order_relaxed);
    uint64_t from = plan->source_chunks_offset + (uint64_t)slot * CHUNK_BYTES;
    uint64_t to = plan->header.chunks_offset + (uint64_t)slot * CHUNK_BYTES;
    struct chunk header;

    int error = file_range_read(move->arena_fd, &header, sizeof(header), from);
    if (error < 0)
        return error;
    uint64_t bytes = used_bytes(&header, generation);
    if (bytes > 0) {
        error = move_range(move, from, to, bytes);
        if (error == 0)
            error = chunk_ages_insert(&move->result->chunks,
                                      (struct chunk_age){
                                          .done_ns = done_time(&header, move->end_ns),
                                          .bytes = (uint32_t)align_offset(bytes),
                                          .slot = slot,
                                      });
    }
    /* Also what was made ready and never used. */
    return error < 0 ? error : file_range_punch(move->arena_fd, from, CHUNK_BYTES);
}

static int move_front(const struct move *move, const struct compact_plan *plan)
{
    uint32_t dictionary_bytes =
        atomic_load_explicit(&plan->header.dictionary_used_bytes, memory_order_relaxed);

    if (dictionary_bytes > plan->header.dictionary_bytes)
        dictionary_bytes = plan->header.dictionary_bytes;
    move->result->memory_bytes = align_offset(sizeof(plan->header));
    int error = file_range_write(move->store_fd, &plan->header, sizeof(plan->header), move->offset);
    if (error == 0)
        error = move_range(move, ARENA_HEADER_BYTES, ARENA_HEADER_BYTES, dictionary_bytes);
    return error;
}

int compact_move(int arena_fd, const struct compact_plan *plan, int store_fd, uint64_t offset,
                 uint64_t end_ns, uint64_t budget_bytes, struct compact_result *result)
{
    const struct move move = {
        .arena_fd = arena_fd,
        .store_fd = store_fd,
        .offset = offset,
        .end_ns = end_ns,
        .budget_bytes = budget_bytes,
        .result = result,
    };

    *result = (struct compact_result){ 0 };
    int error = move_front(&move, plan);
    for (uint32_t slot = 0; slot < plan->header.chunk_count && error == 0; slot++)
        error = move_chunk(&move, plan, slot);
    return error;
}
