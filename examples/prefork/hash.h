/* SHA-256 (FIPS 180-4), the work that the server does. Pure; any thread. */
#ifndef PREFORK_HASH_H
#define PREFORK_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_HEX_CHARACTERS = 2 * SHA256_BYTES };

void sha256(const void *data, size_t bytes, uint8_t digest[SHA256_BYTES]);

/* The digest as lower-case hexadecimal, terminated. */
void sha256_hex(const uint8_t digest[SHA256_BYTES], char hex[SHA256_HEX_CHARACTERS + 1]);

#endif
