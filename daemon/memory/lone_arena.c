#include "daemon/memory/lone_arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffer/file_range.h"
#include "daemon/memory/compact_arena.h"

/* Where the chunks are that were ever used. */
struct lone_chunks {
    int fd;
    uint64_t offset;
    uint32_t count;
    uint32_t generation;
    uint32_t dictionary_bytes;
};

static int find_chunks(int fd, struct lone_chunks *out)
{
    struct compact_plan plan;
    int error = compact_plan_read(fd, &plan);

    if (error < 0)
        return error;
    *out = (struct lone_chunks){
        .fd = fd,
        .offset = plan.source_chunks_offset,
        .count = plan.header.chunk_count,
        .generation = atomic_load(&plan.header.generation),
        .dictionary_bytes = atomic_load(&plan.header.dictionary_used_bytes),
    };
    return 0;
}

static off_t offset_of(const struct lone_chunks *chunks, uint32_t slot)
{
    return (off_t)(chunks->offset + (uint64_t)slot * CHUNK_BYTES);
}

/* Not by a mapping, in which a look at a hole would fill it. */
static int read_header(const struct lone_chunks *chunks, uint32_t slot, struct chunk *out)
{
    ssize_t got = pread(chunks->fd, out, CHUNK_HEADER_BYTES, offset_of(chunks, slot));

    return got == CHUNK_HEADER_BYTES ? 0 : got < 0 ? -errno : -EPROTO;
}

static bool is_released(const struct lone_chunks *chunks, const struct chunk *header)
{
    return atomic_load(&header->state) == CHUNK_RELEASED &&
           header->generation == chunks->generation;
}

/* --- Updates --- */

static int compare_ages(const void *left, const void *right)
{
    const struct released_chunk *a = left, *b = right;

    return (a->done_ns > b->done_ns) - (a->done_ns < b->done_ns);
}

static int list_chunks(const struct lone_chunks *chunks, struct released_chunk *released,
                       size_t *count, struct chunk_update *out)
{
    for (uint32_t slot = 0; slot < chunks->count; slot++) {
        struct chunk header;
        int error = read_header(chunks, slot, &header);
        if (error < 0)
            return error;
        if (is_released(chunks, &header))
            released[(*count)++] = (struct released_chunk){
                .done_ns = header.done.monotonic_ns,
                .bytes = CHUNK_BYTES,
                .sequence = header.range_start / CHUNK_BUFFER_BYTES,
            };
        else if (chunk_has_memory(&header))
            out->unreleased_bytes += CHUNK_BYTES;
    }
    return 0;
}

static void tell_released(struct released_chunk *released, size_t count, struct chunk_update *out)
{
    size_t told = count < CHUNK_UPDATE_MAX_RELEASED ? count : CHUNK_UPDATE_MAX_RELEASED;

    qsort(released, count, sizeof(*released), compare_ages);
    for (size_t i = 0; i < told; i++)
        out->newly_released[i] = released[i];
    out->newly_released_count = (uint32_t)told;
    out->newly_released_lost = (uint32_t)(count - told);
    out->released_bytes = count * CHUNK_BYTES;
    out->oldest_done_ns = count > 0 ? released[0].done_ns : 0;
}

int lone_arena_update(int fd, struct chunk_update *out)
{
    struct lone_chunks chunks;
    size_t count = 0;
    int error = find_chunks(fd, &chunks);

    if (error < 0)
        return error;
    struct released_chunk *released = calloc((size_t)chunks.count + 1, sizeof(*released));
    if (released == NULL)
        return -ENOMEM;
    *out = (struct chunk_update){ .kind = CHUNK_UPDATE_ORDINARY,
                                  .dictionary_bytes = chunks.dictionary_bytes };
    error = list_chunks(&chunks, released, &count, out);
    if (error == 0)
        tell_released(released, count, out);
    free(released);
    return error;
}

/* --- Destroying --- */

static int punch_chunks(const struct lone_chunks *chunks, uint32_t slot, uint32_t count)
{
    return file_range_punch(chunks->fd, (uint64_t)offset_of(chunks, slot),
                            (uint64_t)count * CHUNK_BYTES);
}

static void give_back_unit(struct lease_ledger *ledger, lease_owner owner, uint32_t held_unit)
{
    if (held_unit != 0)
        lease_give_back(ledger, owner, held_unit - 1);
}

/* Takes SLOT out of its process' hands. *HELD_UNIT is the unit that it took. False when the process
 * was faster. */
static bool claim_chunk(const struct lone_chunks *chunks, struct arena_header *header,
                        uint32_t slot, uint32_t *held_unit)
{
    struct chunk *chunk = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, chunks->fd,
                               offset_of(chunks, slot));

    if (chunk == MAP_FAILED)
        return false;
    bool is_claimed = chunk_move(chunk, CHUNK_RELEASED, CHUNK_DESTROYING) == 0;
    *held_unit = atomic_load(&chunk->held_unit);
    if (is_claimed)
        arena_count_recycled_chunk(header, chunk);
    (void)munmap(chunk, CHUNK_BYTES);
    return is_claimed;
}

static int64_t destroy_released(const struct lone_chunks *chunks, struct arena_header *header,
                                struct lease_ledger *ledger, lease_owner owner, uint64_t done_ns)
{
    int64_t destroyed = 0;

    for (uint32_t slot = 0; slot < chunks->count; slot++) {
        struct chunk listed;
        uint32_t held_unit;
        int error = read_header(chunks, slot, &listed);
        if (error < 0)
            return error;
        if (!is_released(chunks, &listed) || listed.done.monotonic_ns > done_ns ||
            !claim_chunk(chunks, header, slot, &held_unit))
            continue;
        error = punch_chunks(chunks, slot, 1);
        if (error < 0)
            return error; /* the slot is lost, and stays paid for */
        give_back_unit(ledger, owner, held_unit);
        destroyed += CHUNK_BYTES;
    }
    return destroyed;
}

int64_t lone_arena_destroy(int fd, struct lease_ledger *ledger, lease_owner owner, uint64_t done_ns)
{
    struct lone_chunks chunks;
    int error = find_chunks(fd, &chunks);

    if (error < 0)
        return error;
    struct arena_header *header =
        mmap(NULL, ARENA_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (header == MAP_FAILED)
        return -errno;
    int64_t destroyed = destroy_released(&chunks, header, ledger, owner, done_ns);
    (void)munmap(header, ARENA_HEADER_BYTES);
    return destroyed;
}

int lone_arena_clear(int fd, struct lease_ledger *ledger, lease_owner owner)
{
    struct lone_chunks chunks;
    int error = find_chunks(fd, &chunks);

    if (error < 0 || chunks.count == 0)
        return error;
    uint32_t *held_units = calloc(chunks.count, sizeof(*held_units));
    if (held_units == NULL)
        return -ENOMEM;
    for (uint32_t slot = 0; slot < chunks.count && error == 0; slot++) {
        struct chunk header;
        error = read_header(&chunks, slot, &header);
        held_units[slot] = error == 0 ? atomic_load(&header.held_unit) : 0;
    }
    if (error == 0)
        error = punch_chunks(&chunks, 0, chunks.count);
    for (uint32_t slot = 0; slot < chunks.count && error == 0; slot++)
        give_back_unit(ledger, owner, held_units[slot]);
    free(held_units);
    return error;
}
