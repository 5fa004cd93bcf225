/* The marker types of one process: their schemas, from the dictionary, and their names in a
 * profile.
 *
 * Viewers know only one schema for a name, so if two different ones have the same name, the later
 * one is renamed: "request" becomes "request (2)". A zeroed struct is empty. One thread. */
#ifndef PROFD_JSON_GECKO_MARKER_TYPES_H
#define PROFD_JSON_GECKO_MARKER_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer/marker_schema.h"
#include "json/json_writer.h"
#include "json/mapped_array.h"

struct marker_type {
    struct marker_schema schema; /* views of bytes */
    struct arena_string bytes;
    unsigned ordinal;          /* among the different schemas of its name: 1, 2 … */
    bool is_declared_by_other; /* an earlier type has the same schema: declared by that one */
};

struct marker_types {
    struct mapped_array types; /* struct marker_type, by id - 1 */
    uint64_t renamed;          /* of them, because their name was taken */
};

/* Adds the type ID with the schema BYTES (borrowed). Returns 0; -ENOMEM; or -EPROTO if that is not
 * a schema, or there are too many. */
int marker_types_add(struct marker_types *types, uint32_t id, struct arena_string bytes);

/* The type ID; NULL: there is none. */
const struct marker_type *marker_types_find(const struct marker_types *types, uint32_t id);

/* Writes the type's name as a string. */
void marker_type_stream_name(const struct marker_type *type, struct json_writer *writer);

/* Writes each schema, once, as an element of the open array. */
void marker_types_stream(const struct marker_types *types, struct json_writer *writer);

void marker_types_free(struct marker_types *types);

#endif
