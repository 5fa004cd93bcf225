#include "profctl/raw/raw_arena_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffer/file_range.h"

/* The dictionary has all the room that it may have: chunks come before it. */
#define CHUNKS_OFFSET (ARENA_HEADER_BYTES + (uint64_t)ARENA_DICTIONARY_BYTES)

int raw_arena_file_open(struct raw_arena_file *file)
{
    *file = (struct raw_arena_file){ .fd = memfd_create("profctl-arena", MFD_CLOEXEC) };
    return file->fd >= 0 ? 0 : -errno;
}

void raw_arena_file_close(struct raw_arena_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}

/* Chunks are put side by side as they come. */
static int add_chunk(struct raw_arena_file *file, const struct raw_view *record)
{
    struct raw_chunk chunk;

    memcpy(&chunk, record->bytes, sizeof(chunk));
    if (chunk.slot >= ARENA_MAX_CHUNKS || file->slot_count >= ARENA_MAX_CHUNKS)
        return -EPROTO;
    return file_range_write(file->fd, record->bytes + sizeof(chunk), record->count - sizeof(chunk),
                            CHUNKS_OFFSET + (uint64_t)file->slot_count++ * CHUNK_BYTES);
}

/* The header in RECORD, a RAW_FRONT, for an arena with SLOT_COUNT chunks. */
static void lay_out_header(const struct raw_view *record, uint32_t slot_count,
                           struct arena_header *header)
{
    memcpy(header, record->bytes + sizeof(struct raw_front), sizeof(*header));
    header->dictionary_offset = ARENA_HEADER_BYTES;
    header->dictionary_bytes = ARENA_DICTIONARY_BYTES;
    header->chunks_offset = CHUNKS_OFFSET;
    header->chunk_count = slot_count;
    header->chunk_high_water = slot_count;
    header->total_bytes = CHUNKS_OFFSET + (uint64_t)slot_count * CHUNK_BYTES;
    header->groups.offset = 0;
    /* The size was checked against the record's. */
    struct raw_front front;
    memcpy(&front, record->bytes, sizeof(front));
    header->dictionary_used_bytes = front.dictionary_bytes;
}

static const uint8_t *dictionary_of(const struct raw_view *record, size_t *bytes)
{
    size_t before = sizeof(struct raw_front) + sizeof(struct arena_header);

    *bytes = record->count - before;
    return record->bytes + before;
}

static int add_front(struct raw_arena_file *file, const struct raw_view *record)
{
    struct arena_header header;
    size_t bytes;
    const uint8_t *dictionary = dictionary_of(record, &bytes);

    lay_out_header(record, file->slot_count, &header);
    int error = file_range_write(file->fd, &header, sizeof(header), 0);
    if (error == 0)
        error = file_range_write(file->fd, dictionary, bytes, ARENA_HEADER_BYTES);
    if (error == 0 && ftruncate(file->fd, (off_t)header.total_bytes) != 0)
        error = -errno;
    return error;
}

int raw_arena_file_add(struct raw_arena_file *file, const struct raw_view *record)
{
    return record->kind == RAW_CHUNK ? add_chunk(file, record) : add_front(file, record);
}

int raw_arena_front_open(const struct raw_view *record, void **memory, struct arena_reader **out)
{
    struct arena_header header;
    size_t bytes, whole;
    const uint8_t *dictionary = dictionary_of(record, &bytes);

    lay_out_header(record, 0, &header);
    header.dictionary_bytes = (uint32_t)bytes;
    header.chunks_offset = header.total_bytes = whole = (ARENA_HEADER_BYTES + bytes + 63) / 64 * 64;
    char *arena = calloc(1, whole);
    if (arena == NULL)
        return -ENOMEM;
    memcpy(arena, &header, sizeof(header));
    memcpy(arena + ARENA_HEADER_BYTES, dictionary, bytes);
    int error = arena_reader_open_memory(arena, whole, out);
    if (error < 0)
        free(arena);
    else
        *memory = arena;
    return error;
}
