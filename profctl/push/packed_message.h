/* Messages of protobuf, packed one behind the other: parts of a message that follow one another are
 * one message. One thread. */
#ifndef PROFD_PROFCTL_PACKED_MESSAGE_H
#define PROFD_PROFCTL_PACKED_MESSAGE_H

#include <protobuf-c/protobuf-c.h>

#include "json/mapped_array.h"

/* Appends MESSAGE to OUT (char). Returns 0 or -ENOMEM. */
int packed_message_append(struct mapped_array *out, const ProtobufCMessage *message);

/* Appends field number FIELD, below 16, of a message: BYTES (char), themselves a packed message.
 * Returns 0 or -ENOMEM. */
int packed_message_append_field(struct mapped_array *out, unsigned field,
                                const struct mapped_array *bytes);

#endif
