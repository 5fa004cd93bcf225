/* Messages as tables: which fields a struct has, in the order of the wire, and what they may hold.
 *
 * One table serves the encoder and the decoder, so they cannot disagree, and neither lets a value
 * pass that the other would refuse. Private to ipc/. No allocation, any thread. */
#ifndef PROFD_IPC_MESSAGE_FIELDS_H
#define PROFD_IPC_MESSAGE_FIELDS_H

#include <stddef.h>
#include <stdint.h>

enum message_field_type {
    FIELD_VERSION,     /* uint64_t; what follows another major version is not read */
    FIELD_UNSIGNED,    /* uint64_t of least to most */
    FIELD_BITS,        /* uint64_t without bits that `most` has not */
    FIELD_UNSIGNED_32, /* uint32_t, likewise */
    FIELD_SIGNED,      /* int64_t, likewise */
    FIELD_BYTES,       /* struct message_string of least to most bytes */
    FIELD_TEXT,        /* likewise, without NUL in it */
    FIELD_STRINGS,     /* likewise, a row of strings that each end with NUL */
    FIELD_RELEASED,    /* struct chunk_update: its list of newly released chunks */
};

struct message_field {
    enum message_field_type type;
    size_t offset; /* in the message's struct */
    int64_t least;
    uint64_t most;
};

struct message_schema {
    size_t struct_bytes;
    const struct message_field *fields;
    size_t field_count;
    size_t count_in_6_0; /* of them, in front: what followed since may be missing, and is 0 then */
    /* What single fields cannot say; NULL: nothing. 0, -EMSGSIZE or -EINVAL. */
    int (*check)(const void *message);
};

/* The frame of MESSAGE: its length in bytes, -EMSGSIZE when a string or the whole is too long,
 * -EINVAL for any other value that the decoder would refuse. Who speaks protocol 6.0 (MINOR, or
 * what a greeting itself says) gets nothing that followed since. */
long message_fields_put(const struct message_schema *schema, uint8_t *out, size_t capacity,
                        unsigned kind, const void *message, uint64_t minor);

/* Fills *MESSAGE from a frame's payload, or -EPROTO. What follows the last field is skipped. */
int message_fields_get(const struct message_schema *schema, const uint8_t *payload, size_t bytes,
                       void *message);

/* The kind that a frame's payload says it is, positive, or -EPROTO. */
int message_fields_peek_kind(const uint8_t *payload, size_t bytes);

#endif
