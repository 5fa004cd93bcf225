/* Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. Pure functions. */
#ifndef PROFD_JSON_UTF8_H
#define PROFD_JSON_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Looks at the character at the start of BYTES (LENGTH is at least 1). Returns the number of bytes
 * that it takes or, with *IS_VALID false, that one replacement character replaces. */
size_t utf8_sequence(const char *bytes, size_t length, bool *is_valid);

/* Writes CODE_POINT (a scalar value) to OUT as up to 4 bytes, and returns their number. */
size_t utf8_encode(char *out, uint32_t code_point);

#endif
