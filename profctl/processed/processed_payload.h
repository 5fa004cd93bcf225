/* The payload of a marker, from a Gecko profile's form to that of a processed one: its stack is a
 * number, and numbers of strings are those that all threads share. One thread. */
#ifndef PROFD_PROFCTL_PROCESSED_PAYLOAD_H
#define PROFD_PROFCTL_PROCESSED_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profctl/processed/processed_types.h"
#include "profctl/processed/shared_tables.h"
#include "profctl/processed/thread_frames.h"
#include "profctl/profile/profile_walk.h"

/* Where the numbers in payloads lead to. */
struct payload_source {
    const struct profile_thread *thread;
    const struct thread_frames *frames; /* of that thread */
    const struct processed_types *types;
    struct shared_tables *tables;
};

/* An allocation, or the end of one, which processed profiles have in a table of their own. */
struct payload_allocation {
    double time_ms; /* of the marker */
    int64_t size;   /* below 0: the end of one */
    uint64_t address;
    int64_t tid;    /* who did it */
    uint32_t stack; /* a row; UNIQUE_NONE: not told */
};

/* The hash of the value of "type" (hash_bytes()) of the payload JSON of LENGTH; 0: there is none.
 * 0, -EPROTO for what is no payload, -ENOMEM, or the reader's error. */
int payload_find_type(const char *json, size_t length, uint64_t *type);

/* Whether the payload JSON of LENGTH is an allocation, which is then in *OUT, but for its time. 1,
 * 0, or an error as payload_write(). */
int payload_read_allocation(const struct payload_source *source, const char *json, size_t length,
                            struct payload_allocation *out);

/* Writes the payload JSON of LENGTH as a value. 0, -EPROTO for what is none, or for numbers that
 * are none of the thread's, -ENOMEM, or the reader's error. */
int payload_write(const struct payload_source *source, const char *json, size_t length,
                  struct json_writer *writer);

#endif
