#include "buffer/frame_codes.h"

#include <errno.h>

#include "buffer/leb128.h"

enum { SITE_BITS = 32, ADDRESS_BITS = 62 };

int frame_codes_make(const struct stack_frame *frames, uint32_t depth, uint64_t *codes)
{
    for (uint32_t i = 0; i < depth; i++) {
        if (frames[i].value >> (frames[i].is_label ? SITE_BITS : ADDRESS_BITS) != 0)
            return -EINVAL;
        codes[i] = frames[i].value << 1 | frames[i].is_label;
    }
    return 0;
}

uint32_t frame_codes_shared(const uint64_t *a, uint32_t a_depth, const uint64_t *b,
                            uint32_t b_depth)
{
    uint32_t most = a_depth < b_depth ? a_depth : b_depth;
    uint32_t shared = 0;
    while (shared < most && a[shared] == b[shared])
        shared++;
    return shared;
}

/* The address of the innermost native frame among the first COUNT, or 0. */
static uint64_t last_address(const uint64_t *codes, uint32_t count)
{
    for (uint32_t i = count; i > 0; i--)
        if ((codes[i - 1] & 1) == 0)
            return codes[i - 1] >> 1;
    return 0;
}

uint8_t *frame_codes_write(uint8_t *out, const uint64_t *codes, uint32_t depth, uint32_t kept)
{
    uint64_t address = last_address(codes, kept);
    for (uint32_t i = kept; i < depth; i++) {
        uint64_t code = codes[i];
        if ((code & 1) == 0) {
            uint64_t previous = address;
            address = code >> 1;
            code = zigzag_encode((int64_t)(address - previous)) << 1;
        }
        out = leb128_write(out, code);
    }
    return out;
}
