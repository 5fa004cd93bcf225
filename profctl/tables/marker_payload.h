/* Marker types and payloads, as they pass from processes into one file.
 *
 * Viewers know one schema for a name in all of a file, so of two different ones the later gets
 * another name, in its schema and in the payloads of its process. And payloads have numbers of
 * strings and stacks in them, which are new when a thread's tables are; which fields hold such, the
 * schemas tell. They stand before the process' threads. One thread. */
#ifndef PROFD_PROFCTL_MARKER_PAYLOAD_H
#define PROFD_PROFCTL_MARKER_PAYLOAD_H

#include <stdint.h>

#include "profctl/naming/symbolicate_thread.h"
#include "json/json_reader.h"
#include "json/json_writer.h"
#include "json/mapped_array.h"

/* All schemas that were met, and those of the process at hand. A zeroed struct has none. */
struct marker_schemas {
    struct mapped_array known;   /* struct known_schema: of the whole file */
    struct mapped_array all;     /* char: them, as elements of an array */
    struct mapped_array renamed; /* struct renamed_type: of the process at hand */
    struct mapped_array indexed; /* uint64_t: of type and key of its fields that hold indices */
};

/* Copies a list of marker schemas, the value that comes next, of the process whose payloads come
 * next. 0, -ENOMEM, or an error as json_reader_next. */
int marker_schemas_copy(struct marker_schemas *schemas, struct json_reader *reader,
                        struct json_writer *writer);

/* The same for the list of the root, which becomes that of all that were met. */
int marker_schemas_copy_root(struct marker_schemas *schemas, struct json_reader *reader,
                             struct json_writer *writer);

void marker_schemas_free(struct marker_schemas *schemas);

/* Copies a payload, an object of which TOKEN (its start) was just read, with the numbers of RENAMED
 * in place of the old ones; RENAMED NULL: those stay. 0, -EPROTO for a number that is none of the
 * thread's, or an error as json_reader_next. */
int marker_payload_copy(const struct marker_schemas *schemas,
                        const struct symbolicated_thread *renamed, struct json_reader *reader,
                        struct json_writer *writer);

#endif
