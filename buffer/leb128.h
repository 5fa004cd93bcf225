/* Unsigned LEB128: seven bits per byte, least significant first; the top bit is set in all bytes
 * but the last.
 *
 * Numbers up to 127 take one byte, numbers up to 16,383 two. Writers do not check for room,
 * which the caller has reserved; readers check everything. All functions are pure and
 * async-signal-safe. */
#ifndef PROFD_BUFFER_LEB128_H
#define PROFD_BUFFER_LEB128_H

#include <stddef.h>
#include <stdint.h>

enum { LEB128_MAX_BYTES = 10 };

/* Returns the number of bytes that VALUE takes. */
static inline size_t leb128_size(uint64_t value)
{
    return (size_t)(63 - __builtin_clzll(value | 1)) / 7 + 1;
}

/* Writes VALUE to OUT, which has room for leb128_size(VALUE) bytes. Returns the byte after it. */
static inline uint8_t *leb128_write(uint8_t *out, uint64_t value)
{
    while (value >= 0x80) {
        *out++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *out++ = (uint8_t)value;
    return out;
}

/* Reads one number from [IN, END) into *VALUE. Returns the byte after it. Returns NULL, with *VALUE
 * unchanged, if the bytes end too early or the number does not fit into 64 bits. */
static inline const uint8_t *leb128_read(const uint8_t *in, const uint8_t *end, uint64_t *value)
{
    uint64_t result = 0;
    for (unsigned shift = 0; in < end && shift < 64; shift += 7) {
        uint8_t byte = *in++;
        if (shift == 63 && byte > 1)
            return NULL;
        result |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            *value = result;
            return in;
        }
    }
    return NULL;
}

/* Maps signed numbers near zero to small unsigned ones: 0, -1, 1, -2 … become 0, 1, 2, 3 … */
static inline uint64_t zigzag_encode(int64_t value)
{
    return ((uint64_t)value << 1) ^ -(uint64_t)(value < 0);
}

static inline int64_t zigzag_decode(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

#endif
