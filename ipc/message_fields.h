/* Messages as tables: the fields of a struct, in the order on the wire, and what they may hold.
 *
 * The encoder and the decoder use the same table, so they cannot disagree: neither accepts a value
 * that the other would refuse. Private to ipc/. No allocation; any thread. */
#ifndef PROFD_IPC_MESSAGE_FIELDS_H
#define PROFD_IPC_MESSAGE_FIELDS_H

#include <stddef.h>
#include <stdint.h>

enum message_field_type {
    FIELD_VERSION,     /* uint64_t; nothing is read after another major version */
    FIELD_UNSIGNED,    /* uint64_t of least to most */
    FIELD_BITS,        /* uint64_t with no bits beyond those in `most` */
    FIELD_UNSIGNED_32, /* uint32_t, likewise */
    FIELD_SIGNED,      /* int64_t, likewise */
    FIELD_BYTES,       /* struct message_string of least to most bytes */
    FIELD_TEXT,        /* likewise, containing no NUL */
    FIELD_STRINGS,     /* likewise, a series of NUL-terminated strings */
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
    size_t count_in_6_0; /* the first ones, which 6.0 has; later ones may be missing: 0 */
    /* Checks what fields cannot express one by one; NULL: nothing. 0, -EMSGSIZE or -EINVAL. */
    int (*check)(const void *message);
};

/* Writes the frame of MESSAGE. Returns its length in bytes; -EMSGSIZE if a string or the whole is
 * too long; -EINVAL for any other value that the decoder would refuse. A receiver that speaks
 * protocol 6.0 (by MINOR, or by the version in a greeting) gets no fields added since. */
long message_fields_put(const struct message_schema *schema, uint8_t *out, size_t capacity,
                        unsigned kind, const void *message, uint64_t minor);

/* Fills *MESSAGE from a frame's payload. Returns 0 or -EPROTO. What follows the last field is
 * skipped. */
int message_fields_get(const struct message_schema *schema, const uint8_t *payload, size_t bytes,
                       void *message);

/* The kind of a frame's payload, which is positive, or -EPROTO. */
int message_fields_peek_kind(const uint8_t *payload, size_t bytes);

#endif
