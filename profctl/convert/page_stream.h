/* The stream of data in a page: numbers and texts, compressed with deflate and then encoded as
 * base64, so that nothing in a capture can be taken for markup. profctl/page/data.js reads it.
 *
 * Numbers are LEB128; differences are zigzag-encoded first. After a failure nothing more is
 * written; page_stream_finish() returns the first error. One thread. */
#ifndef PROFD_PROFCTL_PAGE_STREAM_H
#define PROFD_PROFCTL_PAGE_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include <zlib.h>

#include "json/json_writer.h"

enum {
    PAGE_PLAIN_BYTES = 64 * 1024,
    PAGE_DEFLATED_BYTES = 48 * 1024, /* a multiple of 3, so that base64 needs no padding */
    PAGE_BASE64_BYTES = PAGE_DEFLATED_BYTES / 3 * 4,
};

struct page_stream {
    json_sink_write write;
    void *context;
    int error; /* the first one; 0: none */
    z_stream deflater;
    size_t plain_count;
    uint8_t plain[PAGE_PLAIN_BYTES], deflated[PAGE_DEFLATED_BYTES];
    char base64[PAGE_BASE64_BYTES];
};

/* Opens STREAM, which must be zeroed and must not move. Returns 0 or -ENOMEM; STREAM needs
 * page_stream_close() in any case. */
int page_stream_open(struct page_stream *stream, json_sink_write write, void *context);

void page_put_number(struct page_stream *stream, uint64_t number);
void page_put_difference(struct page_stream *stream, int64_t difference);
/* Writes eight bytes, little-endian; NAN is allowed. */
void page_put_real(struct page_stream *stream, double real);
/* Each writes a length and the bytes; NULL is empty. */
void page_put_bytes(struct page_stream *stream, const char *bytes, size_t count);
void page_put_text(struct page_stream *stream, const char *text);

/* Writes everything that is left. Returns 0 or the first error. */
int page_stream_finish(struct page_stream *stream);
/* Frees STREAM. Safe to repeat. */
void page_stream_close(struct page_stream *stream);

#endif
