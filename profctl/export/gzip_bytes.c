#include "profctl/export/gzip_bytes.h"

#include <errno.h>
#include <zlib.h>

enum { GZIP_WINDOW_BITS = 15 + 16, GZIP_MEMORY = 8, GZIP_MARGIN_BYTES = 32 };

int gzip_bytes(const void *bytes, size_t length, struct mapped_array *out)
{
    z_stream stream = { .next_in = (Bytef *)bytes, .avail_in = (uInt)length };

    if (length > UINT32_MAX || deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW_BITS,
                                            GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return -ENOMEM;
    size_t bound = deflateBound(&stream, length) + GZIP_MARGIN_BYTES;
    int error = mapped_array_reserve(out, bound, 1);
    if (error == 0) {
        stream.next_out = out->items;
        stream.avail_out = (uInt)bound;
        error = deflate(&stream, Z_FINISH) == Z_STREAM_END ? 0 : -ENOMEM;
        out->count = bound - stream.avail_out;
    }
    deflateEnd(&stream);
    return error;
}
