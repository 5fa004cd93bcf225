/* Payloads of markers, as they pass from processes into one file.
 *
 * Their types get the names that these have in the file (marker_schemas.h). And payloads have
 * numbers of strings and stacks in them, which are new when a thread's tables are. One thread. */
#ifndef PROFD_PROFCTL_MARKER_PAYLOAD_H
#define PROFD_PROFCTL_MARKER_PAYLOAD_H

#include "json/json_reader.h"
#include "json/json_writer.h"
#include "json/mapped_array.h"
#include "profctl/tables/marker_schemas.h"

/* The new numbers of a thread's strings and stacks: uint32_t, one for each old one. UNIQUE_NONE:
 * nothing has it any more, so null is written. Borrowed. */
struct renumbered_tables {
    const struct mapped_array *strings, *stacks;
};

/* Copies a payload, an object whose start was just read, with the numbers of RENUMBERED in place of
 * the old ones; RENUMBERED NULL: those stay. Returns 0, -EPROTO for a number that is none of the
 * thread's, or an error of json_reader_next(). */
int marker_payload_copy(const struct marker_schemas *schemas,
                        const struct renumbered_tables *renumbered, struct json_reader *reader,
                        struct json_writer *writer);

#endif
