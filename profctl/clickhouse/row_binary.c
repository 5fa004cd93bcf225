#include "profctl/clickhouse/row_binary.h"

#include <errno.h>
#include <string.h>

enum { LENGTH_MAX_BYTES = 10, LENGTH_BITS = 7 };

void row_writer_free(struct row_writer *writer)
{
    mapped_array_free(&writer->bytes);
    *writer = (struct row_writer){ 0 };
}

void row_writer_clear(struct row_writer *writer)
{
    writer->bytes.count = 0;
    writer->error = 0;
}

void row_write_bytes(struct row_writer *writer, const void *bytes, size_t length)
{
    if (writer->error == 0)
        writer->error = mapped_array_reserve(&writer->bytes, writer->bytes.count + length, 1);
    if (writer->error < 0 || length == 0)
        return;
    memcpy((char *)writer->bytes.items + writer->bytes.count, bytes, length);
    writer->bytes.count += length;
}

void row_write_length(struct row_writer *writer, uint64_t length)
{
    unsigned char bytes[LENGTH_MAX_BYTES];
    size_t count = 0;

    for (; length > 0x7f; length >>= LENGTH_BITS)
        bytes[count++] = (unsigned char)(length | 0x80);
    bytes[count++] = (unsigned char)length;
    row_write_bytes(writer, bytes, count);
}

void row_write_string(struct row_writer *writer, const char *bytes, size_t length)
{
    row_write_length(writer, length);
    row_write_bytes(writer, bytes, length);
}

void row_write_u32(struct row_writer *writer, uint32_t value)
{
    row_write_bytes(writer, &value, sizeof(value));
}

void row_write_u64(struct row_writer *writer, uint64_t value)
{
    row_write_bytes(writer, &value, sizeof(value));
}

void row_write_day(struct row_writer *writer, uint16_t days)
{
    row_write_bytes(writer, &days, sizeof(days));
}

int row_read_length(struct row_reader *reader, uint64_t *length)
{
    uint64_t value = 0;

    for (size_t i = 0; i < LENGTH_MAX_BYTES; i++) {
        if (reader->next + i == reader->end)
            return -ENODATA;
        unsigned char byte = (unsigned char)reader->next[i];
        value |= (uint64_t)(byte & 0x7f) << (i * LENGTH_BITS);
        if ((byte & 0x80) == 0) {
            reader->next += i + 1;
            *length = value;
            return 0;
        }
    }
    return -EPROTO;
}

int row_read_bytes(struct row_reader *reader, const char **bytes, size_t length)
{
    if ((size_t)(reader->end - reader->next) < length)
        return -ENODATA;
    *bytes = reader->next;
    reader->next += length;
    return 0;
}

int row_read_string(struct row_reader *reader, const char **bytes, size_t *length)
{
    struct row_reader ahead = *reader;
    uint64_t count;
    int error = row_read_length(&ahead, &count);

    if (error == 0)
        error = row_read_bytes(&ahead, bytes, count);
    if (error < 0)
        return error;
    *length = count;
    *reader = ahead;
    return 0;
}

int row_read_u64(struct row_reader *reader, uint64_t *value)
{
    const char *bytes;
    int error = row_read_bytes(reader, &bytes, sizeof(*value));

    if (error == 0)
        memcpy(value, bytes, sizeof(*value));
    return error;
}
