/* The marker types of a profile: their schemas in the processed format, and which of their fields
 * hold string indices.
 *
 * Schemas come before the threads of their process; the first one with a name counts. Initialised
 * by processed_types_init(). One thread. */
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
    struct json_writer schemas; /* elements of an array */
    struct mapped_array lists;  /* uint64_t: hashes of the lists read so far */
    struct mapped_array
        indexed; /* uint64_t: hashes of type and key of fields that hold string indices */
    struct mapped_array flows, last_flows;  /* likewise, of those whose strings are flows */
    struct mapped_array stack_based, tasks; /* uint64_t: hashes of types */
};

/* The kind of flow that the string of a field stands for. */
enum marker_flow { MARKER_FLOW_NONE, MARKER_FLOW, MARKER_FLOW_LAST };

void processed_types_init(struct processed_types *types);
void processed_types_free(struct processed_types *types);

/* Reads a "markerSchema" of a Gecko profile, JSON of LENGTH bytes. Returns 0, -EPROTO if it is not
 * a list of schemas, -ENOMEM, or the reader's error. */
int processed_types_take(struct processed_types *types, const char *json, size_t length);

/* Returns whether the field whose key hashes to KEY, of the type whose name hashes to TYPE (both by
 * hash_bytes()), holds string indices. */
bool processed_types_is_indexed(const struct processed_types *types, uint64_t type, uint64_t key);

/* Returns whether the strings of such a field are flows, which markers of several threads share,
 * and whether the marker is the last of its flow. */
enum marker_flow processed_types_flow(const struct processed_types *types, uint64_t type,
                                      uint64_t key);

/* Return whether markers of the type nest as calls do ("isStackBased"), and whether each is a task
 * of an event loop ("isTask"). */
bool processed_types_is_stack_based(const struct processed_types *types, uint64_t type);
bool processed_types_is_task(const struct processed_types *types, uint64_t type);
/* Returns whether any type is one of those. */
bool processed_types_have_events(const struct processed_types *types);

/* Writes the list as a value; nothing may be taken afterwards. */
void processed_types_write(struct processed_types *types, struct json_writer *writer);

#endif
