/* A sampled allocation or its end, as the marker from which viewers build their allocation
 * views. */
#ifndef PROFD_JSON_GECKO_ALLOCATION_MARKER_H
#define PROFD_JSON_GECKO_ALLOCATION_MARKER_H

#include <stdbool.h>

#include "json/unique_strings.h"

struct allocation_marker {
    uint32_t name;    /* as allocation_marker_name() gave it */
    uint32_t stack;   /* of the thread whose marker it is; UNIQUE_NONE: none */
    int64_t time_ns;  /* on the profile's time line */
    int64_t size;     /* bytes allocated; negative: bytes freed */
    int64_t pid, tid; /* who did it */
    bool has_address; /* viewers match allocation and end by it */
    uint64_t address; /* below 2^53, up to which JSON numbers are exact */
};

/* The name of such markers in STRINGS, the thread's; UNIQUE_NONE: out of memory. */
uint32_t allocation_marker_name(struct unique_strings *strings);

/* Writes it as a row of the thread's table of markers. */
void allocation_marker_stream(const struct allocation_marker *marker, struct json_writer *writer);

#endif
