#include "daemon/capture/raw_arena.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "buffer/arena.h"
#include "buffer/clock.h"
#include "buffer/file_range.h"
#include "daemon/memory/compact_arena.h"

/* A copy under way. */
struct copy {
    const struct raw_arena *arena;
    struct raw_out *out;
    struct arena_header header;               /* as it was before the chunks were read */
    uint64_t released_blocks, released_bytes; /* copied, of chunks that were given back */
    bool is_chunk_moving; /* was, at one of the looks: what was copied may not match the counts */
    bool is_output;       /* an error is one of writing, not of reading */
};

static int read_arena(const struct copy *copy, void *bytes, size_t count, uint64_t offset)
{
    return file_range_read(copy->arena->fd, bytes, count, copy->arena->offset + offset);
}

/* Looks whether a chunk is moving. The chunks are copied between two looks, and these lie between
 * the two headers with the counts: so a move that the copy may have met shows in one of them. */
static int look_for_move(struct copy *copy)
{
    uint32_t moves;
    int error =
        read_arena(copy, &moves, sizeof(moves), offsetof(struct arena_header, is_chunk_moving));

    if (error == 0 && moves != 0)
        copy->is_chunk_moving = true;
    return error;
}

/* Writes the record that stands in the room of the output: KIND, of COUNT bytes. */
static int write_record(struct copy *copy, enum raw_kind kind, size_t count)
{
    int error = raw_out_put(copy->out, kind, count);

    copy->is_output = error < 0;
    return error;
}

/* --- Chunks --- */

/* The bytes of the chunk with HEADER that are used, with its header; 0: none of the session. */
static size_t used_bytes(const struct copy *copy, const struct chunk *header)
{
    uint32_t generation = atomic_load_explicit(&copy->header.generation, memory_order_relaxed);
    uint32_t used = chunk_used_bytes(header);

    return chunk_has_memory(header) && header->generation == generation && used > 0
               ? CHUNK_HEADER_BYTES + (size_t)used
               : 0;
}

static bool is_same_life(const struct copy *copy, const struct chunk *before,
                         const struct chunk *after)
{
    return used_bytes(copy, after) > 0 && before->range_start == after->range_start;
}

static void count_released(struct copy *copy, const struct chunk *header)
{
    if (atomic_load_explicit(&header->state, memory_order_relaxed) != CHUNK_RELEASED)
        return;
    copy->released_blocks += header->block_count;
    copy->released_bytes += chunk_used_bytes(header);
}

static int copy_chunk(struct copy *copy, uint32_t slot)
{
    const struct raw_chunk chunk = { slot };
    uint64_t offset = copy->header.chunks_offset + (uint64_t)slot * CHUNK_BYTES;
    struct chunk before, after;

    int error = read_arena(copy, &before, CHUNK_HEADER_BYTES, offset);
    size_t bytes = error == 0 ? used_bytes(copy, &before) : 0;
    if (bytes == 0)
        return error;
    uint8_t *room = raw_out_room(copy->out, sizeof(chunk) + bytes);
    if (room == NULL)
        return -ENOMEM;
    uint8_t *blocks = room + sizeof(chunk) + CHUNK_HEADER_BYTES;
    memcpy(room, &chunk, sizeof(chunk));
    memcpy(room + sizeof(chunk), &before, CHUNK_HEADER_BYTES);
    error = read_arena(copy, blocks, bytes - CHUNK_HEADER_BYTES, offset + CHUNK_HEADER_BYTES);
    if (error == 0)
        error = read_arena(copy, &after, CHUNK_HEADER_BYTES, offset);
    if (error < 0 || !is_same_life(copy, &before, &after))
        return error;
    count_released(copy, &before);
    return write_record(copy, RAW_CHUNK, sizeof(chunk) + bytes);
}

/* --- Facts about the arena --- */

/* A reader learns the rate of the clock from two moments that are far enough apart. An arena that
 * covers too little time for that was written on this machine, so its end can be read here, now or
 * a millisecond after its beginning. The copy, which may be read on another machine, gets it. */
static void add_clock_pair(struct arena_header *header)
{
    uint64_t latest_ns = atomic_load_explicit(&header->latest_monotonic_ns, memory_order_relaxed);

    clock_initialize();
    if (!header->ticks_are_tsc || !clock_is_tsc() ||
        (latest_ns > header->first_pair.monotonic_ns &&
         latest_ns - header->first_pair.monotonic_ns > CLOCK_CALIBRATION_MIN_NS))
        return;
    struct clock_pair now = clock_read_pair();
    uint64_t first_ns = header->first_pair.monotonic_ns;
    while (now.monotonic_ns >= first_ns && now.monotonic_ns - first_ns <= CLOCK_CALIBRATION_MIN_NS)
        now = clock_read_pair();
    header->latest_ticks = now.ticks;
    header->latest_monotonic_ns = now.monotonic_ns;
    header->latest_sequence = 0;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* While chunks come and go, the account was read before they were copied and the drops after it:
 * what is in the copy or was dropped is the least that was produced. */
static void reconcile_account(const struct copy *copy, struct arena_header *after)
{
    uint64_t blocks = copy->released_blocks, bytes = copy->released_bytes;

    if (copy->is_chunk_moving)
        after->is_chunk_moving = 1; /* the copy's reader goes by what it has */
    if (arena_is_same_stock(&copy->header, after))
        return;
    for (int cause = 0; cause < DROP_CAUSE_COUNT; cause++) {
        if (drop_cause_counts_blocks((enum drop_cause)cause)) {
            blocks += after->drops[cause];
            bytes += after->drop_bytes[cause];
        }
    }
    after->produced_blocks = max_u64(copy->header.produced_blocks, blocks);
    after->produced_bytes = max_u64(copy->header.produced_bytes, bytes);
}

static int copy_front(struct copy *copy)
{
    struct raw_front front = { .header_bytes = sizeof(struct arena_header) };
    struct arena_header after;

    int error = read_arena(copy, &after, sizeof(after), 0);
    if (error < 0)
        return error;
    front.dictionary_bytes = after.dictionary_used_bytes < copy->header.dictionary_bytes
                                 ? after.dictionary_used_bytes
                                 : copy->header.dictionary_bytes;
    size_t bytes = sizeof(front) + sizeof(after) + front.dictionary_bytes;
    uint8_t *room = raw_out_room(copy->out, bytes);
    if (room == NULL)
        return -ENOMEM;
    add_clock_pair(&after);
    reconcile_account(copy, &after);
    memcpy(room, &front, sizeof(front));
    memcpy(room + sizeof(front), &after, sizeof(after));
    error = read_arena(copy, room + sizeof(front) + sizeof(after), front.dictionary_bytes,
                       copy->header.dictionary_offset);
    return error < 0 ? error : write_record(copy, RAW_FRONT, bytes);
}

/* Reads the header and checks it; the numbers of it that say where something lies are good then. */
static int read_header(struct copy *copy)
{
    uint64_t file_bytes = copy->arena->bytes;
    struct compact_plan plan;
    struct stat status;

    if (file_bytes == 0) {
        if (fstat(copy->arena->fd, &status) < 0)
            return -errno;
        file_bytes = (uint64_t)status.st_size;
    }
    int error = read_arena(copy, &copy->header, sizeof(copy->header), 0);
    return error < 0 ? error : compact_plan_make(&copy->header, file_bytes, &plan);
}

int raw_arena_copy(const struct raw_arena *arena, struct raw_out *out, bool *is_output)
{
    struct copy copy = { .arena = arena, .out = out };
    int error = read_header(&copy);

    if (error == 0) {
        uint64_t used = atomic_load_explicit(&copy.header.chunk_high_water, memory_order_relaxed);
        uint32_t slots = used < copy.header.chunk_count ? (uint32_t)used : copy.header.chunk_count;
        raw_out_expect(out, (uint64_t)slots * CHUNK_BYTES);
        error = look_for_move(&copy);
        for (uint32_t slot = 0; slot < slots && error == 0; slot++)
            error = copy_chunk(&copy, slot);
    }
    if (error == 0)
        error = look_for_move(&copy);
    if (error == 0)
        error = copy_front(&copy);
    *is_output = copy.is_output;
    return error;
}
