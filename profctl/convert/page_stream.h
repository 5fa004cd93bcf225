/* What a page has in it, on its way there: numbers and texts, deflated, then as base64, so that
 * nothing in a capture can be taken for markup. profctl/page/data.js reads it.
 *
 * Numbers are LEB128, differences zigzag in front of that. After a failure nothing is written any
 * more; page_stream_finish() returns the first one. One thread. */
#ifndef PROFD_PROFCTL_PAGE_STREAM_H
#define PROFD_PROFCTL_PAGE_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include <zlib.h>

#include "json/json_writer.h"

enum {
    PAGE_PLAIN_BYTES = 64 * 1024,
    PAGE_DEFLATED_BYTES = 48 * 1024, /* a multiple of 3, as base64 likes it */
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

/* Zeroed memory that stays where it is. 0 or -ENOMEM; needs page_stream_close() either way. */
int page_stream_open(struct page_stream *stream, json_sink_write write, void *context);

void page_put_number(struct page_stream *stream, uint64_t number);
void page_put_difference(struct page_stream *stream, int64_t difference);
/* Eight bytes, little-endian; NAN is a value like others. */
void page_put_real(struct page_stream *stream, double real);
/* Its length, and its bytes; NULL is empty. */
void page_put_bytes(struct page_stream *stream, const char *bytes, size_t count);
void page_put_text(struct page_stream *stream, const char *text);

/* Writes all that is left. 0 or the first error. */
int page_stream_finish(struct page_stream *stream);
/* Frees it. Safe to repeat. */
void page_stream_close(struct page_stream *stream);

#endif
