/* The marker types of a profile: their schemas, as a processed profile has them, and which fields
 * of theirs hold numbers of strings.
 *
 * Schemas stand before the threads of their process; the first of a name counts. A zeroed struct
 * has none, but for processed_types_init(). One thread. */
#ifndef PROFD_PROFCTL_PROCESSED_TYPES_H
#define PROFD_PROFCTL_PROCESSED_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/failure_latch.h"
#include "json/json_writer.h"
#include "json/mapped_array.h"
#include "json/unique_strings.h"

struct processed_types {
    struct failure_latch latch;
    struct unique_strings names;
    struct json_writer schemas;  /* elements of an array */
    struct mapped_array lists;   /* uint64_t: hashes of the lists that were read */
    struct mapped_array indexed; /* uint64_t: of type and key of fields that hold such numbers */
};

void processed_types_init(struct processed_types *types);
void processed_types_free(struct processed_types *types);

/* Reads a "markerSchema" of a Gecko profile, JSON of LENGTH. 0, -EPROTO for what is no list of
 * schemas, -ENOMEM, or the reader's error. */
int processed_types_take(struct processed_types *types, const char *json, size_t length);

/* Whether the field with the key that hashes to KEY, of the type whose name hashes to TYPE (both by
 * hash_bytes()), holds numbers of strings. */
bool processed_types_is_indexed(const struct processed_types *types, uint64_t type, uint64_t key);

/* Writes the list as a value; nothing is taken any more. */
void processed_types_write(struct processed_types *types, struct json_writer *writer);

#endif
