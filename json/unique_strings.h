/* Strings, each stored once and known by its index: the stringTable of a thread.
 *
 * An open-addressing hash table over one growing block of bytes; memory from mmap. One thread. */
#ifndef PROFD_JSON_UNIQUE_STRINGS_H
#define PROFD_JSON_UNIQUE_STRINGS_H

#include <stddef.h>
#include <stdint.h>

#include "json/failure_latch.h"
#include "json/json_writer.h"
#include "json/mapped_array.h"

/* Returned by add functions after a failure. */
#define UNIQUE_NONE UINT32_MAX

struct unique_strings {
    struct mapped_array bytes;   /* char: all strings, one after the other */
    struct mapped_array entries; /* struct unique_string */
    struct mapped_array slots;   /* uint32_t: index + 1, or 0; a power of two of them */
    struct failure_latch *latch; /* borrowed */
};

/* Allocates nothing before the first add. */
void unique_strings_init(struct unique_strings *strings, struct failure_latch *latch);
void unique_strings_fini(struct unique_strings *strings);

/* Returns the index of the string, which is added if it is new: 0, 1, 2 … in the order of first
 * use. UNIQUE_NONE if memory or indices run out, which is latched. */
uint32_t unique_strings_add(struct unique_strings *strings, const char *bytes, size_t length);

/* The index of a string that was added; UNIQUE_NONE: it was not. */
uint32_t unique_strings_find(const struct unique_strings *strings, const char *bytes,
                             size_t length);

uint32_t unique_strings_count(const struct unique_strings *strings);

/* A view of the string at INDEX (below the count), valid until the next add. */
const char *unique_strings_get(const struct unique_strings *strings, uint32_t index,
                               size_t *length);

/* Writes all strings, in order, as a JSON array. */
void unique_strings_stream(const struct unique_strings *strings, struct json_writer *writer);

#endif
