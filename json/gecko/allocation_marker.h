/* A sampled allocation or its end, as the marker that viewers make their allocation views of. */
#ifndef PROFD_JSON_GECKO_ALLOCATION_MARKER_H
#define PROFD_JSON_GECKO_ALLOCATION_MARKER_H

#include <stdbool.h>

#include "json/unique_strings.h"

struct allocation_marker {
    uint32_t name;    /* as allocation_marker_name() gave it */
    uint32_t stack;   /* of the thread whose marker it is; UNIQUE_NONE: none */
    int64_t time_ns;  /* on the profile's time line */
    int64_t size;     /* bytes that are allocated, or below 0 that are freed */
    int64_t pid, tid; /* who did */
    bool has_address; /* by which viewers match an allocation with its end */
    uint64_t address; /* below 2^53, as numbers in JSON are exact up to there */
};

/* The name of such markers in STRINGS, the thread's; UNIQUE_NONE without memory. */
uint32_t allocation_marker_name(struct unique_strings *strings);

/* A row of the thread's table of markers. */
void allocation_marker_stream(const struct allocation_marker *marker, struct json_writer *writer);

#endif
