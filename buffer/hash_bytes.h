/* A fast hash of bytes for in-memory tables. Its values never leave the process. */
#ifndef PROFD_BUFFER_HASH_BYTES_H
#define PROFD_BUFFER_HASH_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Multiplies and folds, so that all bits of A and B affect all bits of the result. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product =
        (unsigned __int128)(a ^ UINT64_C(0x9e3779b97f4a7c15)) * (b ^ UINT64_C(0xd6e8feb86659fd93));
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_bytes(const char *bytes, size_t length)
{
    uint64_t hash = length;
    uint64_t word;
    for (; length >= 8; length -= 8, bytes += 8) {
        memcpy(&word, bytes, 8);
        hash = hash_mix(hash, word);
    }
    word = 0;
    if (length > 0)
        memcpy(&word, bytes, length);
    return hash_mix(hash, word);
}

#endif
