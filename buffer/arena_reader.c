#include "buffer/arena_reader.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "buffer/arena_reader_state.h"

enum {
    SMALLEST_BLOCK_BYTES = 2, /* its size, and a kind */
    STOCK_ATTEMPTS = 8,
};

static int read_header(const struct arena_source *source, struct arena_header *out)
{
    if (source->bytes < ARENA_HEADER_BYTES)
        return -EPROTO;
    return arena_source_read(source, 0, out, sizeof(*out));
}

/* All later offsets follow from these numbers; nothing overflows after this. */
static int check_header(const struct arena_header *header, uint64_t source_bytes)
{
    if (header->magic != ARENA_MAGIC || header->version != ARENA_VERSION ||
        header->chunk_bytes != CHUNK_BYTES || header->chunk_count > ARENA_MAX_CHUNKS ||
        header->dictionary_offset < ARENA_HEADER_BYTES ||
        header->dictionary_bytes > ARENA_DICTIONARY_BYTES ||
        header->chunks_offset < (uint64_t)header->dictionary_offset + header->dictionary_bytes ||
        header->chunks_offset % 64 != 0 || header->chunks_offset > header->total_bytes ||
        header->total_bytes - header->chunks_offset < (uint64_t)header->chunk_count * CHUNK_BYTES)
        return -EPROTO;
    return header->total_bytes <= source_bytes ? 0 : -EIO;
}

/* The latest pair, or the first one when the writer was stopped for good in the middle of the
 * latest. */
static struct clock_pair read_latest_pair(const struct arena_source *source,
                                          struct clock_pair first_pair)
{
    for (int attempt = 0; attempt < 100; attempt++) {
        struct arena_header before, after;
        if (read_header(source, &before) != 0 || read_header(source, &after) != 0)
            return first_pair;
        if (before.latest_sequence % 2 == 0 && before.latest_sequence == after.latest_sequence)
            return (struct clock_pair){ before.latest_ticks, before.latest_monotonic_ns };
    }
    return first_pair;
}

/* The rate over the whole time that the arena covers. If that is too short (a process that ended at
 * once), the rate is that between its clock pair and now, since it was written on this machine. */
static double process_rate(const struct arena_header *header, struct clock_pair latest)
{
    double fallback = 1.0;
    if (!header->ticks_are_tsc)
        return fallback;
    clock_initialize();
    if (clock_is_tsc())
        fallback = clock_calibrate(header->first_pair, clock_read_pair(), 1.0).ns_per_tick;
    return clock_calibrate(header->first_pair, latest, fallback).ns_per_tick;
}

static void fill_info(struct arena_info *info, const struct arena_header *header)
{
    info->process_id = header->process_id;
    info->parent_process_id = header->parent_process_id;
    info->generation = header->generation;
    info->process_start_ns = header->process_start_ns;
    info->session_start_ns = header->session_start_ns;
    info->interval_ns = header->interval_ns;
    info->sampling_clock = sampling_clock_checked(header->sampling_clock);
    info->sampling_clock_refusal = clock_refusal_checked(header->sampling_clock_refusal);
    info->sampling_interval_ns = sampling_interval_checked(header->sampling_interval_ns);
    memcpy(info->title, header->title, sizeof(info->title) - 1); /* what follows is zero */
    memcpy(info->labels, header->labels, sizeof(info->labels) - 1);
    info->labels_left_out = header->labels_left_out;
}

static void fill_drops(struct arena_info *info, const struct arena_header *header)
{
    for (int cause = 0; cause < DROP_CAUSE_COUNT; cause++) {
        info->drops[cause] = header->drops[cause];
        info->drop_bytes[cause] = header->drop_bytes[cause];
    }
}

static void add_produced(struct arena_info *info, uint64_t blocks, uint64_t bytes)
{
    info->produced_blocks += blocks;
    info->produced_bytes += bytes;
}

static int read_chunk_header(const struct arena_reader *reader, uint32_t slot, struct chunk *out)
{
    uint64_t offset = reader->chunks_offset + (uint64_t)slot * CHUNK_BYTES;
    return arena_source_read(&reader->source, offset, out, CHUNK_HEADER_BYTES);
}

static bool has_data(const struct arena_reader *reader, const struct chunk *header)
{
    return chunk_has_memory(header) && header->generation == reader->info.generation &&
           header->generation != 0 && header->offset_past_last_block != 0;
}

/* Moves the chunk at ROOT down to where its children, of the first COUNT, are no later ones. */
static void sift_down(struct listed_chunk *chunks, size_t root, size_t count)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && chunks[child].range_start < chunks[child + 1].range_start)
            child++;
        if (chunks[root].range_start >= chunks[child].range_start)
            return;
        struct listed_chunk moved = chunks[root];
        chunks[root] = chunks[child];
        chunks[child] = moved;
    }
}

/* By range_start. Not by qsort(), which may call malloc: in a profiled process that is the
 * program's. */
static void sort_listed(struct listed_chunk *chunks, size_t count)
{
    for (size_t root = count / 2; root-- > 0;)
        sift_down(chunks, root, count);
    for (size_t end = count; end-- > 1;) {
        struct listed_chunk last = chunks[0];
        chunks[0] = chunks[end];
        chunks[end] = last;
        sift_down(chunks, 0, end);
    }
}

static uint32_t clamp_value(uint64_t value, uint32_t most)
{
    return value < most ? (uint32_t)value : most;
}

static struct listed_chunk list_chunk(const struct chunk *header, uint32_t slot)
{
    uint32_t used_bytes = chunk_used_bytes(header);
    return (struct listed_chunk){
        .range_start = header->range_start,
        .slot = slot,
        .used_bytes = used_bytes,
        .block_count = clamp_value(header->block_count, used_bytes / SMALLEST_BLOCK_BYTES),
    };
}

/* Those that were not given back yet are not among what their writers count as produced. */
static int list_chunks(struct arena_reader *reader, uint32_t slot_count)
{
    for (uint32_t slot = 0; slot < slot_count; slot++) {
        struct chunk header;
        int error = read_chunk_header(reader, slot, &header);
        if (error != 0)
            return error;
        if (!has_data(reader, &header))
            continue;
        struct listed_chunk listed = list_chunk(&header, slot);
        reader->chunks[reader->chunk_count++] = listed;
        if (header.state != CHUNK_RELEASED)
            add_produced(&reader->info, listed.block_count, listed.used_bytes);
    }
    return 0;
}

static int read_moving(const struct arena_source *source, uint32_t *out)
{
    return arena_source_read(source, offsetof(struct arena_header, is_chunk_moving), out,
                             sizeof(*out));
}

/* As take_stock(), once. The list stands between two looks at whether a chunk is moving, and these
 * between two at the counts: so a move that it may have met shows in one of them. */
static int list_between_counts(struct arena_reader *reader, uint32_t slot_count,
                               struct arena_header *before, struct arena_header *after,
                               bool *is_exact)
{
    uint32_t moves_before = 0, moves_after = 0;
    int error = read_header(&reader->source, before);
    if (error == 0)
        error = read_moving(&reader->source, &moves_before);
    if (error == 0)
        error = list_chunks(reader, slot_count);
    if (error == 0)
        error = read_moving(&reader->source, &moves_after);
    if (error == 0)
        error = read_header(&reader->source, after);
    *is_exact = error == 0 && moves_before == 0 && moves_after == 0 &&
                after->is_chunk_moving == 0 && arena_is_same_stock(before, after);
    return error;
}

/* Lists the chunks and takes the counts of the same moment: else a chunk that is recycled in
 * between would be counted twice or not at all. Of a writer that is faster than we list, what was
 * produced before and what was dropped since: so that nothing is missed which is only in motion. */
static int take_stock(struct arena_reader *reader, uint32_t slot_count)
{
    for (int attempt = 0; attempt < STOCK_ATTEMPTS; attempt++) {
        struct arena_header before, after;
        bool is_exact;
        reader->chunk_count = 0;
        reader->info.produced_blocks = reader->info.produced_bytes = 0;
        int error = list_between_counts(reader, slot_count, &before, &after, &is_exact);
        if (error != 0)
            return error;
        fill_drops(&reader->info, &after);
        if (!is_exact)
            reader->info.produced_blocks = reader->info.produced_bytes = 0;
        add_produced(&reader->info, before.produced_blocks, before.produced_bytes);
        reader->is_chunk_moving = after.is_chunk_moving != 0;
        if (is_exact)
            break;
    }
    sort_listed(reader->chunks, reader->chunk_count);
    return 0;
}

/* A reader with room for SLOT_COUNT listed chunks and the dictionary. */
static struct arena_reader *allocate_reader(uint32_t slot_count, uint32_t dictionary_bytes)
{
    size_t chunks_end =
        sizeof(struct arena_reader) + (size_t)slot_count * sizeof(struct listed_chunk);
    size_t mapped_bytes = chunks_end + dictionary_bytes;
    struct arena_reader *reader = mmap(NULL, mapped_bytes, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reader == MAP_FAILED)
        return NULL;
    reader->dictionary = (uint8_t *)reader + chunks_end;
    reader->dictionary_bytes = dictionary_bytes;
    reader->mapped_bytes = mapped_bytes;
    return reader;
}

/* Takes over SOURCE, also when it fails. */
static int open_source(struct arena_source source, struct arena_reader **out)
{
    struct arena_header header;
    struct arena_reader *reader = NULL;
    int error = read_header(&source, &header);
    if (error == 0)
        error = check_header(&header, source.bytes);
    if (error != 0)
        goto cleanup;

    uint32_t slot_count = clamp_value(header.chunk_high_water, header.chunk_count);
    uint32_t dictionary_bytes = clamp_value(header.dictionary_used_bytes, header.dictionary_bytes);
    reader = allocate_reader(slot_count, dictionary_bytes);
    error = -ENOMEM;
    if (reader == NULL)
        goto cleanup;
    reader->source = source;
    reader->chunks_offset = header.chunks_offset;
    reader->latest = read_latest_pair(&source, header.first_pair);
    reader->process_ns_per_tick = process_rate(&header, reader->latest);
    fill_info(&reader->info, &header);
    error =
        arena_source_read(&source, header.dictionary_offset, reader->dictionary, dictionary_bytes);
    if (error == 0)
        error = take_stock(reader, slot_count);
cleanup:
    if (error == 0) {
        *out = reader;
    } else if (reader != NULL) {
        arena_reader_close(reader);
    } else {
        arena_source_close(&source);
    }
    return error;
}

int arena_reader_open(int fd, struct arena_reader **out)
{
    struct arena_source source;
    int error = arena_source_open(fd, &source);
    return error != 0 ? error : open_source(source, out);
}

int arena_reader_open_memory(const void *memory, size_t bytes, struct arena_reader **out)
{
    struct arena_source source;
    int error = arena_source_open_memory(memory, bytes, &source);
    return error != 0 ? error : open_source(source, out);
}

void arena_reader_close(struct arena_reader *reader)
{
    if (reader == NULL)
        return;
    arena_source_close(&reader->source);
    munmap(reader, reader->mapped_bytes);
}

/* What was produced is at least what is there and what was dropped, as a refused block is counted
 * as dropped first; and is just that when the writer was stopped between two counts. */
static uint64_t produced_or_known(const struct arena_reader *reader, uint64_t produced,
                                  uint64_t known)
{
    return reader->is_chunk_moving || produced < known ? known : produced;
}

void arena_reader_info(const struct arena_reader *reader, struct arena_info *out)
{
    *out = reader->info;
    uint64_t blocks = out->kept_blocks, bytes = out->kept_bytes;
    for (int cause = 0; cause < DROP_CAUSE_COUNT; cause++) {
        if (drop_cause_counts_blocks((enum drop_cause)cause)) {
            blocks += out->drops[cause];
            bytes += out->drop_bytes[cause];
        }
    }
    out->produced_blocks = produced_or_known(reader, out->produced_blocks, blocks);
    out->produced_bytes = produced_or_known(reader, out->produced_bytes, bytes);
}

size_t arena_reader_chunk_count(const struct arena_reader *reader)
{
    return reader->chunk_count;
}

/* Whether HEADER still is the life of the chunk that was listed. */
static bool is_same_life(const struct arena_reader *reader, const struct listed_chunk *listed,
                         const struct chunk *header)
{
    return has_data(reader, header) && header->range_start == listed->range_start;
}

static bool is_chunk_damaged(const struct chunk *header)
{
    return header->state > CHUNK_RELEASED || header->buffer_bytes != CHUNK_BUFFER_BYTES ||
           header->offset_first_block != 0 || header->offset_past_last_block > CHUNK_BUFFER_BYTES;
}

/* A chunk that is done was calibrated at both its ends; one still in use only by what came since.
 */
static struct clock_calibration calibrate_chunk(const struct arena_reader *reader,
                                                const struct chunk *header)
{
    bool is_done = header->done.ticks != 0 && header->done.monotonic_ns != 0;
    return clock_calibrate(header->start, is_done ? header->done : reader->latest,
                           reader->process_ns_per_tick);
}

static void count_drop(struct arena_info *info, enum drop_cause cause, uint64_t blocks,
                       uint64_t bytes)
{
    info->drops[cause] += blocks;
    info->drop_bytes[cause] += bytes;
}

/* Counts the whole blocks of CHUNK, and what lies behind damage. HEADER_COUNT is what its writer
 * counted. */
static void count_blocks(struct arena_info *info, struct chunk_copy *chunk, uint32_t header_count)
{
    struct block_cursor cursor;
    uint8_t kind;
    const uint8_t *payload;
    size_t payload_bytes;
    int result;
    block_cursor_init(&cursor, chunk);
    chunk->block_count = 0;
    while ((result = block_cursor_next(&cursor, &kind, &payload, &payload_bytes)) > 0)
        chunk->block_count++;
    uint64_t lost_bytes = (uint64_t)(cursor.end - cursor.next);
    info->kept_blocks += chunk->block_count;
    info->kept_bytes += chunk->used_bytes - lost_bytes;
    if (result == 0)
        return;
    uint32_t counted = clamp_value(header_count, chunk->used_bytes / SMALLEST_BLOCK_BYTES);
    info->bad_blocks++;
    count_drop(info, DROP_DAMAGED, counted > chunk->block_count ? counted - chunk->block_count : 1,
               lost_bytes);
}

/* What the writer of a chunk added since it was LISTED. */
static void add_growth(struct arena_info *info, const struct listed_chunk *listed,
                       const struct listed_chunk *grown)
{
    if (grown->used_bytes > listed->used_bytes && grown->block_count >= listed->block_count)
        add_produced(info, grown->block_count - listed->block_count,
                     grown->used_bytes - listed->used_bytes);
}

int arena_reader_copy_chunk(struct arena_reader *reader, size_t position, struct chunk_copy *out)
{
    const struct listed_chunk *listed = &reader->chunks[position];
    struct chunk before, after;
    int error = read_chunk_header(reader, listed->slot, &before);
    if (error != 0)
        return error;

    const struct listed_chunk grown = list_chunk(&before, listed->slot);
    uint64_t offset =
        reader->chunks_offset + (uint64_t)listed->slot * CHUNK_BYTES + CHUNK_HEADER_BYTES;
    error = arena_source_read(&reader->source, offset, out->bytes, grown.used_bytes);
    if (error == 0)
        error = read_chunk_header(reader, listed->slot, &after);
    if (error != 0)
        return error;
    if (!is_same_life(reader, listed, &before) || !is_same_life(reader, listed, &after)) {
        count_drop(&reader->info, DROP_RECYCLED, listed->block_count, listed->used_bytes);
        return -ENOENT;
    }
    if (is_chunk_damaged(&before)) {
        reader->info.bad_chunks++;
        count_drop(&reader->info, DROP_DAMAGED, listed->block_count, listed->used_bytes);
        return -EPROTO;
    }

    out->writer_index = before.writer_index;
    out->range_start = before.range_start;
    out->used_bytes = grown.used_bytes;
    out->start_ticks = before.start.ticks;
    out->calibration = calibrate_chunk(reader, &before);
    add_growth(&reader->info, listed, &grown);
    count_blocks(&reader->info, out, before.block_count);
    return 0;
}
