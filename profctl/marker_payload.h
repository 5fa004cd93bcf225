/* What in the payloads of markers is numbered: strings and stacks, which get new numbers when a
 * thread's tables do.
 *
 * Which fields hold indices of strings, the process' marker schemas tell; they stand before its
 * threads. One thread. */
#ifndef PROFD_PROFCTL_MARKER_PAYLOAD_H
#define PROFD_PROFCTL_MARKER_PAYLOAD_H

#include <stdint.h>

#include "profctl/symbolicate_thread.h"
#include "json/json_reader.h"
#include "json/json_writer.h"
#include "json/mapped_array.h"

/* Fields whose values are indices of strings. A zeroed struct has none. */
struct indexed_fields {
    struct mapped_array hashes; /* uint64_t: of the type's name and the field's key */
};

/* Copies a list of marker schemas, the value that comes next, and notes which fields are indexed.
 * What was noted before is forgotten. 0, -ENOMEM, or an error as json_reader_next. */
int indexed_fields_copy(struct indexed_fields *fields, struct json_reader *reader,
                        struct json_writer *writer);

void indexed_fields_free(struct indexed_fields *fields);

/* Copies a payload, an object of which TOKEN (its start) was just read, with the numbers of RENAMED
 * in place of the old ones. 0, -EPROTO for a number that is none of the thread's, or an error as
 * json_reader_next. */
int marker_payload_copy(const struct indexed_fields *fields,
                        const struct symbolicated_thread *renamed, struct json_reader *reader,
                        struct json_writer *writer);

#endif
