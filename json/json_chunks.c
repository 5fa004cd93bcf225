/* The writer's memory: its chunks, its sink, splicing, and what happens after a failure. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "json/json_writer_room.h"
#include "json/spare_pages.h"

struct json_chunk {
    struct json_chunk *next;
    size_t used; /* of all chunks but the one being written */
    char bytes[];
};

enum {
    CHUNK_ROOM = JSON_CHUNK_BYTES - sizeof(struct json_chunk),
    /* A shorter text is copied when spliced: cheaper than a system call or a chunk mostly empty. */
    SPLICE_COPY_MAX_BYTES = 8 * 1024,
};

void json_writer_init(struct json_writer *writer, struct failure_latch *latch)
{
    json_writer_init_sink(writer, NULL, NULL, latch);
}

void json_writer_init_sink(struct json_writer *writer, json_sink_write write_bytes, void *context,
                           struct failure_latch *latch)
{
    memset(writer, 0, sizeof(*writer));
    writer->write = write_bytes;
    writer->context = context;
    writer->latch = latch;
}

int json_sink_fd(void *context, const char *bytes, size_t n)
{
    int fd = *(const int *)context;
    while (n > 0) {
        ssize_t written = write(fd, bytes, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -errno;
        bytes += written;
        n -= (size_t)written;
    }
    return 0;
}

static bool is_in_scratch(const struct json_writer *writer)
{
    return writer->next >= writer->scratch &&
           writer->next <= writer->scratch + sizeof(writer->scratch);
}

static size_t current_bytes(const struct json_writer *writer)
{
    if (writer->last == NULL || is_in_scratch(writer))
        return 0;
    return (size_t)(writer->next - writer->last->bytes);
}

uint64_t json_writer_bytes(const struct json_writer *writer)
{
    return writer->earlier_bytes + current_bytes(writer);
}

static void free_chunks(struct json_chunk *chunk)
{
    while (chunk != NULL) {
        struct json_chunk *next = chunk->next;
        spare_pages_give(chunk, JSON_CHUNK_BYTES);
        chunk = next;
    }
}

static void forget_chunks(struct json_writer *writer)
{
    writer->first = writer->last = NULL;
    writer->next = writer->end = NULL;
    writer->earlier_bytes = 0;
    writer->needs_comma = false;
}

void json_writer_fini(struct json_writer *writer)
{
    free_chunks(writer->first);
    forget_chunks(writer);
}

/* Closes the accounts of the chunk being written. */
static void account_chunk(struct json_writer *writer)
{
    size_t used = current_bytes(writer);
    if (writer->last == NULL || is_in_scratch(writer))
        return;
    writer->last->used = used;
    writer->earlier_bytes += used;
}

/* Later writes go nowhere. */
static void write_to_scratch(struct json_writer *writer)
{
    writer->next = writer->scratch;
    writer->end = writer->scratch + sizeof(writer->scratch);
}

static void fail_writer(struct json_writer *writer, int error)
{
    account_chunk(writer);
    failure_latch_set(writer->latch, error);
    write_to_scratch(writer);
}

static void start_chunk(struct json_writer *writer, struct json_chunk *chunk)
{
    writer->next = chunk->bytes;
    writer->end = chunk->bytes + CHUNK_ROOM;
}

static void add_chunk(struct json_writer *writer)
{
    struct json_chunk *chunk = spare_pages_take(JSON_CHUNK_BYTES);
    if (chunk == NULL) {
        fail_writer(writer, -ENOMEM);
        return;
    }
    chunk->next = NULL;
    chunk->used = 0;
    account_chunk(writer);
    if (writer->last == NULL)
        writer->first = chunk;
    else
        writer->last->next = chunk;
    writer->last = chunk;
    start_chunk(writer, chunk);
}

/* Gives the sink writer's one chunk to the sink and starts it anew. */
static void empty_into_sink(struct json_writer *writer)
{
    size_t used = current_bytes(writer);
    if (used == 0)
        return;
    int error = writer->write(writer->context, writer->last->bytes, used);
    if (error < 0) {
        failure_latch_set(writer->latch, error);
        write_to_scratch(writer);
        return;
    }
    writer->earlier_bytes += used;
    start_chunk(writer, writer->last);
}

void json_writer_refill(struct json_writer *writer)
{
    if (is_in_scratch(writer))
        write_to_scratch(writer);
    else if (failure_latch_failed(writer->latch))
        fail_writer(writer, failure_latch_error(writer->latch));
    else if (writer->write != NULL && writer->last != NULL)
        empty_into_sink(writer);
    else
        add_chunk(writer);
}

int json_writer_flush(struct json_writer *writer)
{
    if (writer->write != NULL && !failure_latch_failed(writer->latch))
        empty_into_sink(writer);
    return failure_latch_error(writer->latch);
}

int json_writer_copy_out(const struct json_writer *writer, json_sink_write write_bytes,
                         void *context)
{
    for (const struct json_chunk *chunk = writer->first; chunk != NULL; chunk = chunk->next) {
        bool is_current = chunk == writer->last && !is_in_scratch(writer);
        size_t used = is_current ? current_bytes(writer) : chunk->used;
        int error = used == 0 ? 0 : write_bytes(context, chunk->bytes, used);
        if (error < 0)
            return error;
    }
    return 0;
}

void json_writer_append(struct json_writer *writer, const char *bytes, size_t length)
{
    while (length > 0) {
        json_room(writer);
        size_t room = (size_t)(writer->end - writer->next);
        size_t piece = length < room ? length : room;
        memcpy(writer->next, bytes, piece);
        writer->next += piece;
        bytes += piece;
        length -= piece;
        if (is_in_scratch(writer))
            return;
    }
}

static int append_to_writer(void *context, const char *bytes, size_t n)
{
    json_writer_append(context, bytes, n);
    return 0;
}

/* The comma before a spliced value. */
static void write_comma(struct json_writer *writer)
{
    json_wrote(writer, json_value_room(writer));
}

void json_splice_bytes(struct json_writer *writer, const char *bytes, size_t length)
{
    if (length == 0)
        return;
    write_comma(writer);
    json_writer_append(writer, bytes, length);
}

static void pass_chunks_to_sink(struct json_writer *writer, struct json_writer *source)
{
    empty_into_sink(writer);
    if (is_in_scratch(writer))
        return;
    int error = json_writer_copy_out(source, writer->write, writer->context);
    if (error < 0)
        fail_writer(writer, error);
    else
        writer->earlier_bytes += json_writer_bytes(source);
}

static void take_chunks(struct json_writer *writer, struct json_writer *source)
{
    account_chunk(writer);
    writer->last->next = source->first;
    writer->last = source->last;
    writer->earlier_bytes += source->earlier_bytes;
    writer->next = source->next;
    writer->end = source->end;
    forget_chunks(source);
}

static void move_text(struct json_writer *writer, struct json_writer *source)
{
    write_comma(writer);
    if (is_in_scratch(writer))
        return;
    if (json_writer_bytes(source) <= SPLICE_COPY_MAX_BYTES)
        json_writer_copy_out(source, append_to_writer, writer);
    else if (writer->write != NULL)
        pass_chunks_to_sink(writer, source);
    else
        take_chunks(writer, source);
}

void json_splice(struct json_writer *writer, struct json_writer *source)
{
    if (failure_latch_failed(source->latch))
        failure_latch_set(writer->latch, failure_latch_error(source->latch));
    else if (json_writer_bytes(source) > 0)
        move_text(writer, source);
    json_writer_fini(source);
}
