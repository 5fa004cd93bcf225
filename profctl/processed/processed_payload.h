/* Converts the payload of a marker from the Gecko format to the processed format: its stack becomes
 * a number, and string indices become those shared by all threads. One thread. */
#ifndef PROFD_PROFCTL_PROCESSED_PAYLOAD_H
#define PROFD_PROFCTL_PROCESSED_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profctl/processed/processed_types.h"
#include "profctl/processed/shared_tables.h"
#include "profctl/processed/thread_frames.h"
#include "profctl/profile/profile_walk.h"

/* What the numbers in payloads refer to. */
struct payload_source {
    const struct profile_thread *thread;
    const struct thread_frames *frames; /* of that thread */
    const struct processed_types *types;
    struct shared_tables *tables;
};

/* An allocation, or the end of one. Processed profiles store these in a separate table. */
struct payload_allocation {
    double time_ms; /* of the marker */
    int64_t size;   /* negative: the end of one */
    uint64_t address;
    int64_t tid;    /* of the thread that did it */
    uint32_t stack; /* a row; UNIQUE_NONE: not known */
};

/* Stores the hash (hash_bytes()) of the value of "type" in the payload JSON of LENGTH bytes; 0:
 * there is none. Returns 0, -EPROTO if it is not a payload, -ENOMEM, or the reader's error. */
int payload_find_type(const char *json, size_t length, uint64_t *type);

/* Returns 1 if the payload JSON of LENGTH bytes is an allocation, which is stored in *OUT, except
 * for its time; 0 if not; or an error of payload_write(). */
int payload_read_allocation(const struct payload_source *source, const char *json, size_t length,
                            struct payload_allocation *out);

/* Writes the payload JSON of LENGTH bytes as a value. Returns 0, -EPROTO if it is invalid or refers
 * to rows that the thread does not have, -ENOMEM, or the reader's error. */
int payload_write(const struct payload_source *source, const char *json, size_t length,
                  struct json_writer *writer);

#endif
