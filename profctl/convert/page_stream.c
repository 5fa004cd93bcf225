#include "profctl/convert/page_stream.h"

#include <errno.h>
#include <string.h>

#include "buffer/leb128.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int page_stream_open(struct page_stream *stream, json_sink_write write, void *context)
{
    stream->write = write;
    stream->context = context;
    if (deflateInit(&stream->deflater, Z_DEFAULT_COMPRESSION) != Z_OK)
        return -ENOMEM;
    stream->deflater.next_out = stream->deflated;
    stream->deflater.avail_out = PAGE_DEFLATED_BYTES;
    return 0;
}

/* Three bytes as four characters; of the last group, COUNT of them. */
static char *put_group(char *out, const uint8_t *in, size_t count)
{
    uint32_t bits = (uint32_t)in[0] << 16 | (count > 1 ? (uint32_t)in[1] << 8 : 0) |
                    (count > 2 ? (uint32_t)in[2] : 0);

    *out++ = digits[bits >> 18];
    *out++ = digits[bits >> 12 & 63];
    out[0] = out[1] = '=';
    if (count > 1)
        out[0] = digits[bits >> 6 & 63];
    if (count > 2)
        out[1] = digits[bits & 63];
    return out + 2;
}

/* Gives what was deflated to the sink: whole groups, but for the end of the stream. */
static void write_deflated(struct page_stream *stream)
{
    size_t count = PAGE_DEFLATED_BYTES - stream->deflater.avail_out;
    char *out = stream->base64;

    for (size_t i = 0; i < count; i += 3)
        out = put_group(out, stream->deflated + i, count - i);
    if (stream->error == 0 && count > 0)
        stream->error =
            stream->write(stream->context, stream->base64, (size_t)(out - stream->base64));
    stream->deflater.next_out = stream->deflated;
    stream->deflater.avail_out = PAGE_DEFLATED_BYTES;
}

static void deflate_plain(struct page_stream *stream, int flush)
{
    stream->deflater.next_in = stream->plain;
    stream->deflater.avail_in = (uInt)stream->plain_count;
    while (stream->error == 0) {
        int status = deflate(&stream->deflater, flush);
        if (status == Z_STREAM_ERROR)
            stream->error = -EIO;
        if (stream->deflater.avail_out > 0)
            break;
        write_deflated(stream);
    }
    stream->plain_count = 0;
}

static void put_plain(struct page_stream *stream, const void *bytes, size_t count)
{
    while (count > 0) {
        size_t room = PAGE_PLAIN_BYTES - stream->plain_count;
        size_t part = count < room ? count : room;
        memcpy(stream->plain + stream->plain_count, bytes, part);
        stream->plain_count += part;
        bytes = (const uint8_t *)bytes + part;
        count -= part;
        if (stream->plain_count == PAGE_PLAIN_BYTES)
            deflate_plain(stream, Z_NO_FLUSH);
    }
}

void page_put_number(struct page_stream *stream, uint64_t number)
{
    if (PAGE_PLAIN_BYTES - stream->plain_count < LEB128_MAX_BYTES)
        deflate_plain(stream, Z_NO_FLUSH);
    stream->plain_count =
        (size_t)(leb128_write(stream->plain + stream->plain_count, number) - stream->plain);
}

void page_put_difference(struct page_stream *stream, int64_t difference)
{
    uint64_t doubled = (uint64_t)difference << 1;

    page_put_number(stream, difference < 0 ? ~doubled : doubled);
}

void page_put_real(struct page_stream *stream, double real)
{
    put_plain(stream, &real, sizeof(real));
}

void page_put_bytes(struct page_stream *stream, const char *bytes, size_t count)
{
    page_put_number(stream, bytes != NULL ? count : 0);
    if (bytes != NULL)
        put_plain(stream, bytes, count);
}

void page_put_text(struct page_stream *stream, const char *text)
{
    page_put_bytes(stream, text, text != NULL ? strlen(text) : 0);
}

int page_stream_finish(struct page_stream *stream)
{
    deflate_plain(stream, Z_FINISH);
    write_deflated(stream);
    return stream->error;
}

void page_stream_close(struct page_stream *stream)
{
    (void)deflateEnd(&stream->deflater); /* one that was not finished says so */
}
