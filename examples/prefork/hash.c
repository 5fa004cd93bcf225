#include "examples/prefork/hash.h"

#include <string.h>

enum { BLOCK_BYTES = 64, ROUNDS = 64 };

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
};

static uint32_t rotate_right(uint32_t value, unsigned bits)
{
    return value >> bits | value << (32 - bits);
}

static uint32_t load_big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void store_big_endian(uint8_t *bytes, uint64_t value, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        bytes[i] = (uint8_t)(value >> (8 * (count - 1 - i)));
}

static void expand_block(const uint8_t *block, uint32_t schedule[ROUNDS])
{
    for (unsigned i = 0; i < 16; i++)
        schedule[i] = load_big_endian(block + 4 * i);
    for (unsigned i = 16; i < ROUNDS; i++) {
        uint32_t a = schedule[i - 15], b = schedule[i - 2];
        uint32_t s0 = rotate_right(a, 7) ^ rotate_right(a, 18) ^ a >> 3;
        uint32_t s1 = rotate_right(b, 17) ^ rotate_right(b, 19) ^ b >> 10;
        schedule[i] = schedule[i - 16] + s0 + schedule[i - 7] + s1;
    }
}

static void hash_block(uint32_t state[8], const uint8_t *block)
{
    uint32_t schedule[ROUNDS];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];

    expand_block(block, schedule);
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint32_t s1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
        uint32_t s0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
        uint32_t choice = (e & f) ^ (~e & g), majority = (a & b) ^ (a & c) ^ (b & c);
        uint32_t t1 = h + s1 + choice + round_constants[i] + schedule[i];
        h = g, g = f, f = e, e = d + t1;
        d = c, c = b, b = a, a = t1 + s0 + majority;
    }
    uint32_t mixed[8] = { a, b, c, d, e, f, g, h };
    for (unsigned i = 0; i < 8; i++)
        state[i] += mixed[i];
}

/* The last one or two blocks: what is left of the data, a one bit, zeros, and the length in bits.
 */
static void hash_tail(uint32_t state[8], const uint8_t *rest, size_t rest_bytes, size_t all_bytes)
{
    uint8_t tail[2 * BLOCK_BYTES] = { 0 };
    size_t tail_bytes = rest_bytes + 9 <= BLOCK_BYTES ? BLOCK_BYTES : 2 * BLOCK_BYTES;
    memcpy(tail, rest, rest_bytes);
    tail[rest_bytes] = 0x80;
    store_big_endian(tail + tail_bytes - 8, (uint64_t)all_bytes * 8, 8);
    for (size_t at = 0; at < tail_bytes; at += BLOCK_BYTES)
        hash_block(state, tail + at);
}

void sha256(const void *data, size_t bytes, uint8_t digest[SHA256_BYTES])
{
    /* The same of the square roots of the first 8 primes. */
    uint32_t state[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    const uint8_t *next = data;
    size_t left = bytes;
    for (; left >= BLOCK_BYTES; left -= BLOCK_BYTES, next += BLOCK_BYTES)
        hash_block(state, next);
    hash_tail(state, next, left, bytes);
    for (unsigned i = 0; i < 8; i++)
        store_big_endian(digest + 4 * i, state[i], 4);
}

void sha256_hex(const uint8_t digest[SHA256_BYTES], char hex[SHA256_HEX_CHARACTERS + 1])
{
    static const char digits[] = "0123456789abcdef";
    for (unsigned i = 0; i < SHA256_BYTES; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[SHA256_HEX_CHARACTERS] = 0;
}
