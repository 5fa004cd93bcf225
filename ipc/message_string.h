/* The parts of messages that are not numbers. */
#ifndef PROFD_IPC_MESSAGE_STRING_H
#define PROFD_IPC_MESSAGE_STRING_H

#include <stddef.h>

#include "ipc/frame.h"

/* A view into the message's frame, or into the sender's memory. */
struct message_string {
    const char *bytes; /* not terminated */
    size_t length;
};

/* The largest message on the wire. */
enum { MESSAGE_MAX_BYTES = FRAME_HEADER_BYTES + FRAME_MAX_BYTES };

#endif
