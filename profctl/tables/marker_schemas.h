/* Marker types, as they pass from processes into one file.
 *
 * Viewers know one schema for a name in all of a file, so of two different ones the later gets
 * another name, in its schema and in the payloads of its process (marker_payload.h). Which fields
 * of payloads hold numbers of strings, the schemas tell; they stand before the process' threads.
 * One thread. */
#ifndef PROFD_PROFCTL_MARKER_SCHEMAS_H
#define PROFD_PROFCTL_MARKER_SCHEMAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/json_reader.h"
#include "json/json_writer.h"
#include "json/mapped_array.h"

/* The name of a type in the file, and a number behind it; longer ones are cut. */
enum { MARKER_NAME_BYTES = 1024 };

/* All schemas that were met, and those of the current process. A zeroed struct has none. */
struct marker_schemas {
    struct mapped_array known;   /* struct known_schema: of the whole file */
    struct mapped_array all;     /* char: them, as elements of an array */
    struct mapped_array renamed; /* struct renamed_type: of the current process */
    struct mapped_array indexed; /* uint64_t: of type and key of its fields that hold indices */
};

/* Copies a list of marker schemas, the value that comes next, of the process whose payloads come
 * next. Returns 0, -ENOMEM, or an error of json_reader_next(). */
int marker_schemas_copy(struct marker_schemas *schemas, struct json_reader *reader,
                        struct json_writer *writer);

/* Like marker_schemas_copy(), for the list of the root, which becomes that of all schemas so
 * far. */
int marker_schemas_copy_root(struct marker_schemas *schemas, struct json_reader *reader,
                             struct json_writer *writer);

void marker_schemas_free(struct marker_schemas *schemas);

/* The name in the file of the type that the current process calls TYPE (LENGTH bytes), into OUT;
 * its length is returned. *HASH is the type for the next function. */
size_t marker_schemas_name(const struct marker_schemas *schemas, const char *type, size_t length,
                           uint64_t *hash, char out[MARKER_NAME_BYTES]);

/* Returns whether the field with this key holds the number of a string. TYPE is of
 * marker_schemas_name(), KEY is hash_bytes() of the key. */
bool marker_schemas_is_indexed(const struct marker_schemas *schemas, uint64_t type, uint64_t key);

#endif
