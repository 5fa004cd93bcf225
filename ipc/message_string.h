/* What messages are made of, besides numbers. */
#ifndef PROFD_IPC_MESSAGE_STRING_H
#define PROFD_IPC_MESSAGE_STRING_H

#include <stddef.h>

#include "ipc/frame.h"

/* A view of the message's frame, or of the sender's memory. */
struct message_string {
    const char *bytes; /* not terminated */
    size_t length;
};

/* Of a whole message, as it travels. */
enum { MESSAGE_MAX_BYTES = FRAME_HEADER_BYTES + FRAME_MAX_BYTES };

#endif
