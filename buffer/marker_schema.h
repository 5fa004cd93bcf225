/* The schema of a marker type: what its payloads contain, and how viewers show them.
 *
 * A program declares it once, statically. A dictionary record carries it as bytes; only JSON
 * generation gives the values of a payload their names. A payload consists of its values in the
 * order of the fields, each encoded according to its representation. Nothing of the schema is
 * repeated in it. */
#ifndef PROFD_BUFFER_MARKER_SCHEMA_H
#define PROFD_BUFFER_MARKER_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer/arena_reader.h"

/* How a value is encoded. Numbers are LEB128. */
enum marker_representation {
    MARKER_TEXT,   /* 0: none; else length + 1, then the bytes */
    MARKER_FLOW,   /* 8 bytes, little-endian */
    MARKER_SIGNED, /* zigzag */
    MARKER_UNSIGNED,
    MARKER_REAL,        /* 8 bytes: an IEEE double, little-endian */
    MARKER_NANOSECONDS, /* zigzag */
    MARKER_TICKS,       /* of the arena's clock */
};

/* The meaning of a value, in the front-end's terms. Wire numbers: append, never reuse. */
#define MARKER_FORMATS(X)                                                                          \
    X(STRING, 1, "string", TEXT)                                                                   \
    X(SANITIZED_STRING, 2, "sanitized-string", TEXT)                                               \
    X(URL, 3, "url", TEXT)                                                                         \
    X(FILE_PATH, 4, "file-path", TEXT)                                                             \
    X(UNIQUE_STRING, 5, "unique-string", TEXT)                                                     \
    X(FLOW_ID, 6, "flow-id", FLOW)                                                                 \
    X(TERMINATING_FLOW_ID, 7, "terminating-flow-id", FLOW)                                         \
    X(INTEGER, 8, "integer", SIGNED)                                                               \
    X(HEXADECIMAL, 9, "hexadecimal", UNSIGNED)                                                     \
    X(BYTES, 10, "bytes", UNSIGNED)                                                                \
    X(DECIMAL, 11, "decimal", REAL)                                                                \
    X(PERCENTAGE, 12, "percentage", REAL)                                                          \
    X(DURATION, 13, "duration", NANOSECONDS)                                                       \
    X(SECONDS, 14, "seconds", NANOSECONDS)                                                         \
    X(MILLISECONDS, 15, "milliseconds", NANOSECONDS)                                               \
    X(MICROSECONDS, 16, "microseconds", NANOSECONDS)                                               \
    X(NANOSECONDS, 17, "nanoseconds", NANOSECONDS)                                                 \
    X(TIME, 18, "time", TICKS)                                                                     \
    X(PID, 19, "pid", SIGNED)                                                                      \
    X(TID, 20, "tid", SIGNED)

enum marker_format {
#define X(name, number, text, representation) MARKER_FORMAT_##name = number,
    MARKER_FORMATS(X)
#undef X
        MARKER_FORMAT_END
};

/* Where markers of a type are shown, as bits. Wire numbers: append, never reuse. */
#define MARKER_PLACES(X)                                                                           \
    X(CHART, 0, "marker-chart")                                                                    \
    X(TABLE, 1, "marker-table")                                                                    \
    X(OVERVIEW, 2, "timeline-overview")                                                            \
    X(MEMORY, 3, "timeline-memory")                                                                \
    X(IPC, 4, "timeline-ipc")                                                                      \
    X(FILE_IO, 5, "timeline-fileio")                                                               \
    X(STACK_CHART, 6, "stack-chart")

enum marker_place {
#define X(name, bit, text) MARKER_PLACE_##name = 1 << bit,
    MARKER_PLACES(X)
#undef X
};

enum {
    MARKER_MAX_FIELDS = 32,
    MARKER_SCHEMA_MAX_BYTES = 4096, /* encoded */
};

/* Flags of a field. */
enum { MARKER_FIELD_SEARCHABLE = 1, MARKER_FIELD_HIDDEN = 2 };

struct marker_field {
    enum marker_format format;
    uint32_t flags;
    struct arena_string key, label; /* if the label is empty, viewers show the key */
};

/* Strings are borrowed. An empty string means that there is none. */
struct marker_schema {
    struct arena_string name;
    struct arena_string chart_label, table_label, tooltip_label;
    struct arena_string colour_field; /* the key of the field that holds a colour's name */
    uint32_t places;                  /* enum marker_place */
    bool is_stack_based;              /* markers of one thread nest as calls do */
    bool is_task;                     /* each is a task of an event loop */
    uint32_t field_count;
    struct marker_field fields[MARKER_MAX_FIELDS];
};

/* Encodes SCHEMA into OUT. Returns 0 with the number of bytes in *BYTES, or -EMSGSIZE if CAPACITY
 * is too small. */
int marker_schema_encode(const struct marker_schema *schema, uint8_t *out, size_t capacity,
                         size_t *bytes);

/* Decodes a schema; the strings in *OUT are views of BYTES. Returns 0, or -EPROTO if BYTES are not
 * a schema. */
int marker_schema_decode(struct arena_string bytes, struct marker_schema *out);

/* One value of a payload. */
struct marker_value {
    struct arena_string text; /* TEXT; bytes NULL: none */
    uint64_t number;          /* FLOW, UNSIGNED, TICKS */
    int64_t signed_number;    /* SIGNED, NANOSECONDS */
    double real;
};

enum marker_representation marker_representation(enum marker_format format);
/* Returns the front-end's name of FORMAT. */
const char *marker_format_name(enum marker_format format);

/* Reads a value of FORMAT from *IN and advances *IN. Returns 0, or -EPROTO if it is damaged. */
int marker_value_read(enum marker_format format, const uint8_t **in, const uint8_t *end,
                      struct marker_value *out);

#endif
