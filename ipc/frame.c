#include "ipc/frame.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* Memory is mapped, not malloc'ed: readers also live in profiled programs, whose allocator isn't
 * ours. It doubles as bytes arrive, never because a peer announced them. */
enum {
    INITIAL_BYTES = 16 * 1024,
    MAXIMAL_BYTES =
        2 * FRAME_MAX_BYTES, /* the doubling that holds a header and a maximal payload */
};
_Static_assert((int)MAXIMAL_BYTES >= (int)FRAME_HEADER_BYTES + (int)FRAME_MAX_BYTES,
               "a maximal frame fits");

void frame_reader_init(struct frame_reader *reader)
{
    *reader = (struct frame_reader){ 0 };
}

void frame_reader_destroy(struct frame_reader *reader)
{
    if (reader->bytes != NULL)
        munmap(reader->bytes, reader->capacity);
    frame_reader_init(reader);
}

static int map_first_bytes(struct frame_reader *reader)
{
    void *bytes =
        mmap(NULL, INITIAL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED)
        return -ENOMEM;
    *reader = (struct frame_reader){ .bytes = bytes, .capacity = INITIAL_BYTES };
    return 0;
}

static int resize_buffer(struct frame_reader *reader, size_t capacity)
{
    void *bytes = mremap(reader->bytes, reader->capacity, capacity, MREMAP_MAYMOVE);
    if (bytes == MAP_FAILED)
        return -ENOMEM;
    reader->bytes = bytes;
    reader->capacity = capacity;
    return 0;
}

static void move_to_front(struct frame_reader *reader)
{
    if (reader->start == 0)
        return;
    memmove(reader->bytes, reader->bytes + reader->start, reader->used - reader->start);
    reader->used -= reader->start;
    reader->start = 0;
}

int frame_reader_room(struct frame_reader *reader, uint8_t **out, size_t *room)
{
    int error = 0;
    move_to_front(reader);
    if (reader->bytes == NULL)
        error = map_first_bytes(reader);
    else if (reader->used == MAXIMAL_BYTES)
        error = -ENOBUFS;
    else if (reader->used == reader->capacity)
        error = resize_buffer(reader, 2 * reader->capacity);
    else if (reader->used == 0 && reader->capacity > INITIAL_BYTES)
        error = resize_buffer(reader, INITIAL_BYTES);
    if (error < 0)
        return error;
    *out = reader->bytes + reader->used;
    *room = reader->capacity - reader->used;
    return 0;
}

void frame_reader_filled(struct frame_reader *reader, size_t count)
{
    reader->used += count;
}

size_t frame_reader_pending(const struct frame_reader *reader)
{
    return reader->used - reader->start;
}

static uint32_t little_endian_32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

int frame_reader_next(struct frame_reader *reader, const uint8_t **payload, size_t *bytes)
{
    size_t pending = frame_reader_pending(reader);
    if (pending < FRAME_HEADER_BYTES)
        return 0;
    uint32_t length = little_endian_32(reader->bytes + reader->start);
    if (length == 0 || length > FRAME_MAX_BYTES)
        return -EPROTO;
    if (pending - FRAME_HEADER_BYTES < length)
        return 0;
    *payload = reader->bytes + reader->start + FRAME_HEADER_BYTES;
    *bytes = length;
    reader->start += FRAME_HEADER_BYTES + length;
    return 1;
}
